// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/family/model_family.h"

namespace infer::serve {

// What turns texts into vectors, as seen from here. Any thread may use it; calls take turns.
class VectorRunner {
 public:
  virtual ~VectorRunner() = default;

  virtual Pooling pooling() const = 0;  // kRank: a reranker, without embeddings
  virtual int64_t dimensions() const = 0;
  virtual int64_t context() const = 0;

  // Calls `done` with the vector of each text, in order.
  virtual absl::Status Run(
      std::span<const std::vector<int32_t>> texts,
      absl::FunctionRef<absl::Status(size_t text, std::span<const float> vector)> done) = 0;

  // Only for a reranker: the prompt about a document, and the score of its vector.
  virtual absl::StatusOr<std::vector<int32_t>> RerankTokens(std::string_view query,
                                                            std::string_view document,
                                                            std::string_view instruction) const = 0;
  virtual double Score(std::span<const float> vector) const = 0;
};

}  // namespace infer::serve
