// SPDX-License-Identifier: Apache-2.0
//
// Requests for vectors and scores, which need a run of the model but no generation.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "ir/base/json.h"
#include "tools/serve/api/served_model.h"
#include "tools/serve/api/vector_runner.h"

namespace infer::serve {

// POST /v1/embeddings, as OpenAI has it: {"input": text, texts or token ids} -> a list of vectors,
// as numbers or (encoding_format base64) as little-endian f32.
absl::StatusOr<std::string> Embeddings(const Json& body, const ServedModel& model,
                                       VectorRunner& runner);

// POST /v1/rerank, as Jina and Cohere have it: {"query": ..., "documents": [...], "top_n": n} ->
// the documents' indices with their scores, the best first.
absl::StatusOr<std::string> Rerank(const Json& body, const ServedModel& model,
                                   VectorRunner& runner);

}  // namespace infer::serve
