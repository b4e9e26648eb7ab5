// SPDX-License-Identifier: Apache-2.0
#include "tools/api/reranker.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "backends/formats/dequantize_row.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr std::string_view kAnswers[] = {"yes", "no"};

struct AnswerRows {
  const WeightInfo* matrix = nullptr;
  std::array<int64_t, 2> rows = {};
};

absl::StatusOr<AnswerRows> ClassifierRows(const ModelFile& file, const ModelConfig& config) {
  AnswerRows found{.matrix = file.weights().Find("cls.output.weight")};
  const std::string& name = file.gguf().metadata().file();
  for (size_t i = 0; i < 2; ++i) {
    const auto at = std::ranges::find(config.labels, kAnswers[i]);
    if (config.labels.size() != 2 || at == config.labels.end()) {
      return absl::InvalidArgumentError(StrCat(name, ": classifier.output_labels has ",
                                               config.labels.size(),
                                               " labels, expected \"yes\" and \"no\""));
    }
    found.rows[i] = at - config.labels.begin();
  }
  if (found.matrix->dims != std::vector<int64_t>{2, config.hidden}) {
    return absl::InvalidArgumentError(StrCat(name, ": tensor cls.output.weight has shape ",
                                             ToString(TypeOf(*found.matrix).shape),
                                             ", expected [2,", config.hidden, "]"));
  }
  return found;
}

absl::StatusOr<AnswerRows> TokenRows(const ModelFile& file, const ModelConfig& config,
                                     const Tokenizer& tokenizer) {
  AnswerRows found{.matrix = file.weights().Find("output.weight")};
  if (found.matrix == nullptr) found.matrix = file.weights().Find("token_embd.weight");
  if (found.matrix->dims != std::vector<int64_t>{config.vocabulary, config.hidden}) {
    return absl::InvalidArgumentError(StrCat(file.gguf().metadata().file(), ": tensor ",
                                             found.matrix->name, " has shape ",
                                             ToString(TypeOf(*found.matrix).shape), ", expected [",
                                             config.vocabulary, ",", config.hidden, "]"));
  }
  for (size_t i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(std::vector<int32_t> ids,
                     tokenizer.Encode(kAnswers[i], {.parse_special = false, .add_bos = false}));
    if (ids.size() != 1 || ids[0] >= config.vocabulary) {
      return absl::InvalidArgumentError(
          StrCat(config.name, " cannot rerank: \"", kAnswers[i],
                 "\" is not one token of its vocabulary; use a reranker, such as Qwen3-Reranker"));
    }
    found.rows[i] = ids[0];
  }
  return found;
}

}  // namespace

absl::StatusOr<Reranker> Reranker::Create(const ModelFile& file, const Tokenizer* tokenizer) {
  ASSIGN_OR_RETURN(const ModelConfig config, file.ReadConfig());
  ASSIGN_OR_RETURN(RerankPrompt prompt, RerankPrompt::Create(file.gguf()));
  ASSIGN_OR_RETURN(const AnswerRows answers, config.labels.empty()
                                                 ? TokenRows(file, config, *tokenizer)
                                                 : ClassifierRows(file, config));
  const DType type = answers.matrix->dtype;
  if (std::ranges::find(formats::WeightTypes(), type) == formats::WeightTypes().end()) {
    return absl::InvalidArgumentError(StrCat(file.gguf().metadata().file(), ": tensor ",
                                             answers.matrix->name, " is of type ", Name(type),
                                             ", which no kernel reads"));
  }
  Reranker made(std::move(prompt), tokenizer);
  const uint64_t row_bytes = formats::RowBytes(type, config.hidden);
  const std::span<const std::byte> data = file.weights().Data(*answers.matrix);
  for (size_t i = 0; i < 2; ++i) {
    made.rows_[i].resize(static_cast<size_t>(config.hidden));
    formats::DequantizeRow(type, data.data() + static_cast<uint64_t>(answers.rows[i]) * row_bytes,
                           config.hidden, made.rows_[i].data());
  }
  return made;
}

double Reranker::Score(std::span<const float> vector) const {
  double logits[2] = {};
  for (size_t answer = 0; answer < 2; ++answer) {
    for (size_t i = 0; i < vector.size(); ++i) {
      logits[answer] += double{vector[i]} * rows_[answer][i];
    }
  }
  return 1 / (1 + std::exp(logits[1] - logits[0]));
}

}  // namespace infer
