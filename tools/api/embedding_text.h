// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/family/model_family.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// "mean", "cls" or "last"; also "none" and "rank", which files may state.
std::string_view NameOf(Pooling pooling);

// Returns how the texts of a model are pooled: as asked for, else as its file says. An error if
// neither says so, or if the model is a reranker.
absl::StatusOr<Pooling> ChoosePooling(Pooling asked, const ModelConfig& config);

// Returns the tokens whose vectors are pooled. With an instruction the text is a query, in the form
// of Qwen3-Embedding. The end token follows if the file says so.
absl::StatusOr<std::vector<int32_t>> EmbeddingTokens(const Tokenizer& tokenizer,
                                                     std::string_view text,
                                                     std::string_view instruction = "");

// Returns the first `dimensions` numbers (0: all) scaled to length 1 (if `normalize`): models that
// are trained for it keep most of their quality in the first numbers.
std::vector<float> FinishEmbedding(std::span<const float> pooled, int64_t dimensions,
                                   bool normalize);

// Returns the numbers, comma-separated, each as the shortest text that reads back as the same; NaN
// and infinities are `no_number`, since JSON has none.
std::string JoinNumbers(std::span<const float> vector, std::string_view no_number);

}  // namespace infer
