// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "tools/api/embedder.h"
#include "tools/api/reranker.h"
#include "tools/serve/api/vector_runner.h"

namespace infer::serve {

// An Embedder for requests of several threads.
class EmbedderRunner final : public VectorRunner {
 public:
  // `reranker` is given for kRank.
  EmbedderRunner(std::shared_ptr<Engine> engine, Pooling pooling, std::optional<Reranker> reranker)
      : embedder_(std::move(engine), pooling), pooling_(pooling), reranker_(std::move(reranker)) {}

  Pooling pooling() const override { return pooling_; }
  int64_t dimensions() const override { return embedder_.dimensions(); }
  int64_t context() const override { return embedder_.context(); }

  absl::Status Run(std::span<const std::vector<int32_t>> texts, Embedder::Done done) override {
    const std::lock_guard turn(mutex_);
    return embedder_.Embed(texts, done);
  }

  absl::StatusOr<std::vector<int32_t>> RerankTokens(std::string_view query,
                                                    std::string_view document,
                                                    std::string_view instruction) const override {
    return reranker_->Tokens(query, document, instruction);
  }
  double Score(std::span<const float> vector) const override { return reranker_->Score(vector); }

 private:
  std::mutex mutex_;
  Embedder embedder_;
  const Pooling pooling_;
  const std::optional<Reranker> reranker_;
};

}  // namespace infer::serve
