// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "runtime/executable.h"
#include "runtime/executor.h"
#include "runtime/kernel_registry.h"
#include "runtime/kv_cache.h"
#include "runtime/metrics.h"

namespace infer {

struct SessionOptions {
  int64_t context = 4096;       // cache entries
  int32_t block_positions = 0;  // 0: a contiguous cache
  PackOptions pack = {};
};

// Bytes of the cache that a session of these options has once its context is full.
absl::StatusOr<uint64_t> PredictCacheBytes(const Program& program, const SessionOptions& options);

// A model in use: a Program with its cache, and the tokens that are in the cache. Works on ids; one
// thread at a time. `weights` and `registry` must outlive it.
class Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Create(Program program,
                                                         const WeightSource& weights,
                                                         const KernelRegistry& registry,
                                                         const SessionOptions& options);

  using PrefillProgress = std::function<void(int64_t done, int64_t total)>;

  // Brings the cache to exactly `tokens`: what it shares with them from the start is kept, the rest
  // is forgotten, and what is missing is run in chunks. At least the last token is always run, so
  // that logits() are those after it. On an error, or when `stop` is set between steps
  // (kCancelled), the cache keeps the chunks that were completed.
  absl::Status Prefill(std::span<const int32_t> tokens, const std::atomic<bool>* stop = nullptr,
                       const PrefillProgress& progress = {});

  // Appends one token.
  absl::Status Decode(int32_t token, const std::atomic<bool>* stop = nullptr);

  // One call of the executor with all logits of the tokens, which follow what is in the cache; for
  // measuring models. At most max_chunk() tokens, and the Program's R must allow as many rows.
  absl::Status RunWithAllLogits(std::span<const int32_t> tokens,
                                const std::atomic<bool>* stop = nullptr);
  // Forgets everything.
  void Clear();

  // After the last call: logits of row `row` of those asked for, by default the only one.
  std::span<const float> logits(int64_t row = 0) const;
  // A further result of the graph (hidden states), all its rows.
  std::span<const float> extra_result(int index) const;

  std::span<const int32_t> tokens() const { return tokens_; }
  int64_t context() const { return cache_->sequence_capacity(); }
  int64_t max_chunk() const { return executable_->program().symbols[Symbol::kT].max; }
  int64_t vocabulary() const;
  const Program& program() const { return executable_->program(); }
  const KvCache& cache() const { return *cache_; }
  const PackedWeights& packed_weights() const { return executable_->packed_weights(); }
  MetricsRecorder& metrics() { return metrics_; }

  // From the next call on, until called with null; both must outlive the calls. An observer makes
  // steps run one at a time.
  void SetObserver(StepObserver* observer) { observer_ = observer; }
  void SetRecorder(StepRecorder* recorder) { recorder_ = recorder; }

 private:
  Session() = default;
  absl::Status Forward(std::span<const int32_t> tokens, int32_t logit_rows, bool is_prefill,
                       const std::atomic<bool>* stop);

  std::unique_ptr<KvCache> cache_;
  SequenceId sequence_ = 0;
  std::unique_ptr<Executable> executable_;
  std::unique_ptr<Executor> executor_;
  std::vector<int32_t> tokens_;  // in the cache
  int64_t rows_read_ = 0;  // of weights that are packed too, since their pages were given back
  MetricsRecorder metrics_;
  StepObserver* observer_ = nullptr;
  StepRecorder* recorder_ = nullptr;
};

}  // namespace infer
