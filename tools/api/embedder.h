// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "frontends/family/model_family.h"
#include "runtime/engine.h"
#include "tools/api/compile_model.h"

namespace infer {

// Turns `options` into those of a Program that an Embedder runs, with as many sequences in a call
// as fill it with short texts. A policy that decomposes attention gets one sequence: its values
// grow with the positions of all of them.
CompileModelOptions ForEmbedding(CompileModelOptions options, Pooling pooling, int64_t sequences);

// Returns the options of the engine of such a Program: a paged cache that holds what one call can
// see, and not the whole context of every sequence.
EngineOptions EmbeddingEngine(const Program& program);

// Turns texts into one vector each. Several texts share a call, so that short ones run at the speed
// of a long prompt. Not thread-safe.
class Embedder {
 public:
  // The engine's Program is of ForEmbedding with the same pooling; kRank takes the last vector.
  Embedder(std::shared_ptr<Engine> engine, Pooling pooling);

  using Done = absl::FunctionRef<absl::Status(size_t text, std::span<const float> vector)>;

  // Calls `done` with the pooled vector of each text, in order. Fails at once if a text has no
  // tokens or more than the context, and with kCancelled if `stop` is set.
  absl::Status Embed(std::span<const std::vector<int32_t>> texts, Done done,
                     const std::atomic<bool>* stop = nullptr);

  int64_t dimensions() const { return engine_->vocabulary(); }
  int64_t context() const { return engine_->context(); }
  const Engine& engine() const { return *engine_; }

 private:
  struct Running {
    size_t text;
    SequenceId sequence;
    size_t done = 0;  // tokens
    std::vector<float> vector = {};
    std::vector<double> sum = {};
  };

  absl::Status CheckTexts(std::span<const std::vector<int32_t>> texts) const;
  absl::Status Fill(std::span<const std::vector<int32_t>> texts);
  absl::Status RunStep(const std::atomic<bool>* stop);
  void Pool(size_t request, Running& running) const;
  int32_t RowsOf(const Running& running, size_t take, size_t length) const;
  void Clear();

  std::shared_ptr<Engine> engine_;
  Pooling pooling_;
  size_t next_ = 0;  // text that is not running yet
  std::vector<Running> running_;
  std::vector<StepRequest> requests_;  // of the running texts, in order
};

}  // namespace infer
