// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/engine.h"
#include "runtime/metrics.h"

namespace infer {

struct SessionOptions {
  int64_t context = 4096;       // cache entries
  int32_t block_positions = 0;  // 0: a contiguous cache
  PackOptions pack = {};
};

// One sequence of an engine, as a text in progress. Works on token ids. All users of an engine must
// run on one thread at a time.
class Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Create(std::shared_ptr<Engine> engine);
  // The same with its own engine and packed weights, for callers that run one sequence of one
  // model. `source` and `registry` must outlive it.
  static absl::StatusOr<std::unique_ptr<Session>> CreateAlone(Program program,
                                                              const WeightSource& source,
                                                              const KernelRegistry& registry,
                                                              const SessionOptions& options);
  ~Session() { engine_->Release(sequence_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  using PrefillProgress = std::function<void(int64_t done, int64_t total)>;

  // Brings the cache to exactly `tokens`: the common prefix is kept, the rest is discarded, and the
  // missing tokens are run in chunks. At least the last token is always run, so that logits() are
  // those after it. On an error, or when `stop` is set between steps (kCancelled), the cache keeps
  // the chunks that were completed.
  absl::Status Prefill(std::span<const int32_t> tokens, const std::atomic<bool>* stop = nullptr,
                       const PrefillProgress& progress = {});

  // Appends one token.
  absl::Status Decode(int32_t token, const std::atomic<bool>* stop = nullptr);

  // Appends one token and a draft of what follows it, with logits after each of them.
  absl::Status DecodeDraft(std::span<const int32_t> tokens,
                           const std::atomic<bool>* stop = nullptr);

  // Runs one step that computes all logits of the tokens, which are appended to the cache; for
  // evaluating models. At most max_chunk() tokens, and the Program's R must allow as many rows.
  absl::Status RunWithAllLogits(std::span<const int32_t> tokens,
                                const std::atomic<bool>* stop = nullptr);
  // Discards everything.
  void Clear() { Rewind(0); }
  // Discards everything from position `length` on.
  void Rewind(int64_t length) { engine_->Rewind(sequence_, length); }

  // After the last step of this session: row `row` of the logits asked for, by default the only
  // one.
  std::span<const float> logits(int64_t row = 0) const {
    if (kept_logits_.empty()) return engine_->logits(0, row);
    const size_t columns = static_cast<size_t>(vocabulary());
    return std::span(kept_logits_).subspan(static_cast<size_t>(row) * columns, columns);
  }
  // Whether logits() are read after the calls from now on (the default). If not, they are in place
  // only after FetchLogits, where the Program gives the largest logits as well.
  void WantWholeRows(bool wanted) { whole_rows_ = wanted; }
  absl::Status FetchLogits() { return engine_->FetchLogits(); }
  // The largest logits of the row; empty if only the whole row is there.
  TopLogits top_logits(int64_t row = 0) const {
    return kept_logits_.empty() ? engine_->top_logits(0, row) : TopLogits{};
  }
  int64_t most_top_logits() const { return engine_->most_top_logits(); }
  // An additional result of the graph (hidden states), with all its rows.
  std::span<const float> extra_result(int index) const { return engine_->extra_result(index); }

  std::span<const int32_t> tokens() const { return engine_->tokens(sequence_); }
  int64_t context() const { return engine_->context(); }
  int64_t max_chunk() const { return engine_->max_step_tokens(); }
  int64_t max_logit_rows() const { return program().symbols[Symbol::kR].max; }
  int64_t vocabulary() const { return engine_->vocabulary(); }
  absl::StatusOr<Sampler> NewSampler(const SamplerOptions& options) const {
    return engine_->NewSampler(options);
  }
  const Program& program() const { return engine_->program(); }
  std::shared_ptr<const Executable> executable() const { return engine_->shared_executable(); }
  const KvCache& cache() const { return engine_->cache(); }
  SequenceId sequence() const { return sequence_; }
  const PackedWeights& packed_weights() const { return engine_->executable().weights(); }
  MetricsRecorder& metrics() { return metrics_; }

  // Take effect from the next call on; null removes them. Both must outlive the calls. With an
  // observer, steps run one at a time.
  void SetObserver(StepObserver* observer) { observer_ = observer; }
  void SetRecorder(StepRecorder* recorder) { recorder_ = recorder; }

 private:
  Session(std::shared_ptr<Engine> engine, SequenceId sequence)
      : engine_(std::move(engine)), sequence_(sequence) {}
  absl::Status Forward(std::span<const int32_t> tokens, int32_t logit_rows, bool is_prefill,
                       const std::atomic<bool>* stop);

  std::shared_ptr<Engine> engine_;
  SequenceId sequence_;
  // A copy, because steps of the engine's other sequences overwrite the logits; empty if no others
  // can exist.
  std::vector<float> kept_logits_;
  bool whole_rows_ = true;
  MetricsRecorder metrics_;
  StepObserver* observer_ = nullptr;
  StepRecorder* recorder_ = nullptr;
};

}  // namespace infer
