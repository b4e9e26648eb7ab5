// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/gguf/reader.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// Returns the indices of scores, the highest first, equal ones in order and those that are no
// number last.
std::vector<size_t> BestFirst(std::span<const double> scores);

// The text that asks a reranker about a query and a document. {query}, {document} and {instruction}
// are replaced as they are; what they are replaced by is text of a request and is not searched
// again.
class RerankPrompt {
 public:
  static constexpr std::string_view kInstruction =
      "Given a web search query, retrieve relevant passages that answer the query";

  // Takes the file's template named "rerank" or, without one, that of Qwen3-Reranker. Fails if the
  // file's has no place for the query or the document.
  static absl::StatusOr<RerankPrompt> Create(const GgufFile& file);

  // An empty instruction is the usual one. Fails if another is given and the template has no place
  // for it.
  absl::StatusOr<MarkedText> Render(std::string_view query, std::string_view document,
                                    std::string_view instruction = "") const;
  absl::StatusOr<std::vector<int32_t>> Tokens(const Tokenizer& tokenizer, std::string_view query,
                                              std::string_view document,
                                              std::string_view instruction = "") const;

 private:
  explicit RerankPrompt(std::string text) : template_(std::move(text)) {}

  std::string template_;
};

}  // namespace infer
