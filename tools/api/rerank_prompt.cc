// SPDX-License-Identifier: Apache-2.0
#include "tools/api/rerank_prompt.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr std::string_view kRerankKey = "tokenizer.chat_template.rerank";
constexpr std::string_view kQuery = "{query}";
constexpr std::string_view kDocument = "{document}";
constexpr std::string_view kInstructionPlace = "{instruction}";

// The form in which Qwen3-Reranker was trained; the empty thought makes it answer at once.
constexpr std::string_view kTemplate =
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and "
    "the Instruct provided. Note that the answer can only be \"yes\" or \"no\".<|im_end|>\n"
    "<|im_start|>user\n<Instruct>: {instruction}\n<Query>: {query}\n<Document>: {document}"
    "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n";

}  // namespace

std::vector<size_t> BestFirst(std::span<const double> scores) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < scores.size(); ++i) {
    // Ascending pairs; a NaN has no place among numbers.
    order.emplace_back(std::isnan(scores[i]) ? HUGE_VAL : -scores[i], i);
  }
  std::sort(order.begin(), order.end());
  std::vector<size_t> indices;
  for (const auto& [key, index] : order) indices.push_back(index);
  return indices;
}

absl::StatusOr<RerankPrompt> RerankPrompt::Create(const GgufFile& file) {
  const Metadata& metadata = file.metadata();
  ASSIGN_OR_RETURN(std::string_view text, metadata.GetStringOr(kRerankKey, kTemplate));
  for (std::string_view place : {kQuery, kDocument}) {
    if (text.find(place) == text.npos) {
      return metadata.InvalidValue(kRerankKey, StrCat("has no ", place));
    }
  }
  return RerankPrompt(std::string(text));
}

absl::StatusOr<MarkedText> RerankPrompt::Render(std::string_view query, std::string_view document,
                                                std::string_view instruction) const {
  if (!instruction.empty() && template_.find(kInstructionPlace) == std::string::npos) {
    return absl::InvalidArgumentError(
        "the model's rerank template has no place for an instruction; leave it out");
  }
  if (instruction.empty()) instruction = kInstruction;
  const std::pair<std::string_view, std::string_view> places[] = {
      {kQuery, query}, {kDocument, document}, {kInstructionPlace, instruction}};
  MarkedText prompt;
  for (std::string_view rest = template_; !rest.empty();) {
    size_t begin = rest.size(), length = 0;
    std::string_view value;
    for (const auto& [place, text] : places) {
      const size_t at = rest.find(place);
      if (at >= begin) continue;
      begin = at;
      length = place.size();
      value = text;
    }
    prompt.AppendTrusted(rest.substr(0, begin));
    prompt.Append(value, /*from_request=*/true);
    rest.remove_prefix(begin + length);
  }
  return prompt;
}

absl::StatusOr<std::vector<int32_t>> RerankPrompt::Tokens(const Tokenizer& tokenizer,
                                                          std::string_view query,
                                                          std::string_view document,
                                                          std::string_view instruction) const {
  ASSIGN_OR_RETURN(MarkedText prompt, Render(query, document, instruction));
  return tokenizer.EncodeMarked(prompt);
}

}  // namespace infer
