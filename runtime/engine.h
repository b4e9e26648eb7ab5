// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/call_context.h"
#include "runtime/executable.h"
#include "runtime/executor.h"
#include "runtime/follow_calls.h"
#include "runtime/kv_cache.h"
#include "runtime/sample_rows.h"
#include "runtime/step_recorder.h"

namespace infer {

struct EngineOptions {
  int64_t context = 4096;       // cache entries of one sequence
  int32_t sequences = 1;        // alive at once
  int32_t block_positions = 0;  // 0: a contiguous cache
  // Positions of a paged cache; 0: enough for the context of every sequence. With fewer, sequences
  // that do not all grow to their full length share the memory.
  int64_t cache_positions = 0;
  // Ids below this are tokens; the rows of the token matrix after them are padding and are never
  // chosen. 0: every row is a token.
  int64_t tokens = 0;
};

// Returns the cache size in bytes of an engine with these options once all its sequences are full.
absl::StatusOr<uint64_t> PredictCacheBytes(const Program& program, const EngineOptions& options);

// Checks that an engine with these options can be created from the Program: that it is a language
// model, that its caches are valid and that everything fits on its devices. Engine::Create checks
// this too; calling it first avoids packing weights in vain.
absl::Status CheckEngine(const Program& program, const KernelRegistry& registry,
                         const EngineOptions& options);

// The contribution of one sequence to a step.
struct StepRequest {
  SequenceId sequence = 0;
  std::span<const int32_t> tokens;  // appended to the sequence; at least one
  int32_t logit_rows = 1;           // compute logits for this many of its last tokens
  // Whether logits() are read after the step. Otherwise a Program that gives the largest logits too
  // may leave whole rows where they were computed, until FetchLogits.
  bool whole_rows = true;
};

// Runs one language model for many sequences. Holds an Executable, the memory of its calls and the
// cache of all sequences, and works on token ids. Not thread-safe; engines that share a registry
// may be used from different threads, and their steps take turns.
class Engine {
 public:
  // The Executable and everything it was created from must outlive the engine. Returns
  // kInvalidArgument if the Program is not a language model or was compiled for fewer sequences or
  // a shorter context.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(
      std::shared_ptr<const Executable> executable, const EngineOptions& options);

  // On rank 0 of a divided model, ends the work of the others.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Creates an empty sequence. Returns kResourceExhausted if the maximum number is already alive.
  absl::StatusOr<SequenceId> NewSequence();
  // Creates a sequence whose tokens are already in these blocks of the cache.
  absl::StatusOr<SequenceId> NewSequence(std::span<const int32_t> blocks,
                                         std::span<const int32_t> tokens);
  // Creates a sequence with the same tokens; in a paged cache the two share blocks.
  absl::StatusOr<SequenceId> Clone(SequenceId sequence);
  void Release(SequenceId sequence);
  // Reserves room for this many more tokens, so that a prompt that cannot fit is refused before it
  // runs.
  absl::Status Reserve(SequenceId sequence, int64_t tokens);
  // Discards everything from position `length` on.
  void Rewind(SequenceId sequence, int64_t length);

  // Runs one call with the tokens of all requests, at most max_step_tokens() in total; each
  // sequence may appear once. On an error, or when `context.stop` interrupts it between two steps
  // (kCancelled), no sequence has changed. If no request asks for logits, those of the last token
  // are computed.
  absl::Status Step(std::span<const StepRequest> requests, const RunContext& context = {});

  // For a rank of a divided model other than 0: runs the calls that rank 0 announces until its
  // engine is destroyed. Uses no sequences of its own.
  absl::Status Follow();

  // Samples rows of logits, distributed over the threads that run the model; `tokens` has an entry
  // for each row. Gives the same tokens as sampling one row after the other.
  // Fetches whole rows if a sampler needs them.
  void Sample(std::span<const RowToSample> rows, std::span<absl::StatusOr<SampledToken>> tokens);

  // After a step: row `row` of the logits that request `request` asked for; the next need not lie
  // behind it. After a step of which no request wanted whole rows, they are in place once
  // FetchLogits has returned.
  std::span<const float> logits(size_t request = 0, int64_t row = 0) const;
  absl::Status FetchLogits();
  // The largest logits of the same row; empty if the call did not give them.
  TopLogits top_logits(size_t request = 0, int64_t row = 0) const;
  // How many those are, at most, in any call; 0: none.
  int64_t most_top_logits() const;
  // An additional result of the graph (hidden states), with all its rows.
  std::span<const float> extra_result(int index) const;

  // The tokens in a sequence.
  std::span<const int32_t> tokens(SequenceId sequence) const { return tokens_[sequence]; }
  int64_t context() const { return cache_->sequence_capacity(); }
  int32_t max_sequences() const { return cache_->max_sequences(); }
  int64_t max_step_tokens() const { return program().symbols[Symbol::kT].max; }
  int64_t vocabulary() const;  // rows of the token matrix, padding included
  // Returns a sampler for a sequence; it never chooses padding.
  absl::StatusOr<Sampler> NewSampler(const SamplerOptions& options) const;
  const Program& program() const { return executable_->program(); }
  const Executable& executable() const { return *executable_; }
  std::shared_ptr<const Executable> shared_executable() const { return executable_; }
  const KvCache& cache() const { return *cache_; }
  KvCache& cache() { return *cache_; }

 private:
  Engine(std::shared_ptr<const Executable> executable, std::unique_ptr<KvCache> cache,
         std::unique_ptr<CallContext> context, int64_t tokens);
  absl::Status Run(std::span<const StepRequest> requests, const RunContext& context);
  absl::Status RunAnnounced(const SymbolValues& symbols, const Batch& batch,
                            const RunContext& context);
  void ReserveTokens(SequenceId sequence);
  absl::Status RunFollowed();
  StepRecorder* FollowedRecorder();
  // The row of a result that belongs to row `row` of a request.
  template <class T>
  std::span<const T> RowOf(int result, size_t request, int64_t row) const;

  std::shared_ptr<const Executable> executable_;
  std::unique_ptr<KvCache> cache_;
  std::unique_ptr<CallContext> context_;
  Executor executor_;
  int64_t choosable_;                         // ids below this may be chosen
  std::vector<std::vector<int32_t>> tokens_;  // indexed by sequence
  // Buffers of the current step, kept so that their memory is allocated only once.
  std::vector<int32_t> ids_;
  std::vector<BatchRequest> batch_requests_;
  std::vector<int64_t> first_row_;  // indexed by request
  // For a divided model; null if this process runs alone.
  Collective* transport_ = nullptr;
  AnnouncedCall announced_;
  std::vector<KvBlockChange> changes_;  // of the cache, since the last call
  int64_t calls_ = 0;
  std::unique_ptr<StepRecorder> recorder_;  // of a rank other than 0, once calls are recorded
  bool failed_ = false;                     // a call of a divided model cannot be repeated
};

}  // namespace infer
