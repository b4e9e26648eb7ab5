// SPDX-License-Identifier: Apache-2.0
#include "tools/api/embedding_text.h"

#include <charconv>
#include <cmath>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {

std::string_view NameOf(Pooling pooling) {
  constexpr std::string_view kNames[] = {"none", "mean", "cls", "last", "rank"};
  return kNames[static_cast<int>(pooling)];
}

absl::StatusOr<Pooling> ChoosePooling(Pooling asked, const ModelConfig& config) {
  if (asked != Pooling::kNone) return asked;
  if (config.pooling == Pooling::kRank) {
    return absl::InvalidArgumentError(
        StrCat(config.name, " is a reranker: it scores documents and has no embeddings"));
  }
  if (config.pooling == Pooling::kNone) {
    return absl::InvalidArgumentError(
        StrCat(config.name,
               " does not say how its vectors become one (pooling_type): choose last, "
               "mean or cls"));
  }
  return config.pooling;
}

absl::StatusOr<std::vector<int32_t>> EmbeddingTokens(const Tokenizer& tokenizer,
                                                     std::string_view text,
                                                     std::string_view instruction) {
  std::string query;
  if (!instruction.empty()) {
    query = StrCat("Instruct: ", instruction, "\nQuery:", text);
    text = query;
  }
  ASSIGN_OR_RETURN(std::vector<int32_t> ids, tokenizer.Encode(text));
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  if (vocabulary.add_eos()) ids.push_back(vocabulary.eos());
  return ids;
}

std::vector<float> FinishEmbedding(std::span<const float> pooled, int64_t dimensions,
                                   bool normalize) {
  if (dimensions > 0 && dimensions < std::ssize(pooled)) pooled = pooled.first(dimensions);
  std::vector<float> values(pooled.begin(), pooled.end());
  if (!normalize) return values;
  double squares = 0;
  for (float value : values) squares += double{value} * value;
  if (squares == 0) return values;
  const double scale = 1 / std::sqrt(squares);
  for (float& value : values) value = static_cast<float>(value * scale);
  return values;
}

std::string JoinNumbers(std::span<const float> vector, std::string_view no_number) {
  std::string text;
  for (float value : vector) {
    if (!text.empty()) text += ',';
    if (!std::isfinite(value)) {
      text += no_number;
      continue;
    }
    char buffer[32];
    text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
  return text;
}

}  // namespace infer
