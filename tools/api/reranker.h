// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/api/model_file.h"
#include "tools/api/rerank_prompt.h"

namespace infer {

// Scores documents for a query by the logits of the answers yes and no after a prompt. Only these
// two are computed, from the vector of the prompt's last token: an Embedder with kRank gives it.
class Reranker {
 public:
  // Reads the rows of the two answers: of the file's classifier, if it has one, else those of the
  // tokens "yes" and "no" in the output matrix. `tokenizer` must outlive it.
  static absl::StatusOr<Reranker> Create(const ModelFile& file, const Tokenizer* tokenizer);

  absl::StatusOr<std::vector<int32_t>> Tokens(std::string_view query, std::string_view document,
                                              std::string_view instruction = "") const {
    return prompt_.Tokens(*tokenizer_, query, document, instruction);
  }

  // Returns the probability of yes, between the two answers.
  double Score(std::span<const float> vector) const;

 private:
  Reranker(RerankPrompt prompt, const Tokenizer* tokenizer)
      : prompt_(std::move(prompt)), tokenizer_(tokenizer) {}

  RerankPrompt prompt_;
  const Tokenizer* tokenizer_;
  std::array<std::vector<float>, 2> rows_;  // of yes and no
};

}  // namespace infer
