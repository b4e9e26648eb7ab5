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
#include "runtime/kv_cache.h"
#include "runtime/sample_rows.h"

namespace infer {

struct EngineOptions {
  int64_t context = 4096;       // cache entries of one sequence
  int32_t sequences = 1;        // alive at once
  int32_t block_positions = 0;  // 0: a contiguous cache
};

// Bytes of the cache of an engine with these options once all its sequences are full.
absl::StatusOr<uint64_t> PredictCacheBytes(const Program& program, const EngineOptions& options);

// Whether an engine with these options can be made of the Program: that it is a language model,
// that its caches make sense and that everything fits on its devices. Engine::Create checks it too;
// who asks first saves the packing.
absl::Status CheckEngine(const Program& program, const KernelRegistry& registry,
                         const EngineOptions& options);

// The part of one sequence in a step.
struct StepRequest {
  SequenceId sequence = 0;
  std::span<const int32_t> tokens;  // follow what the sequence holds; at least one
  int32_t logit_rows = 1;           // its last so many tokens want logits
};

// Runs one language model for many sequences: an Executable, the memory of its calls and the cache
// of all sequences. Works on ids. One thread at a time; engines that share a registry may be used
// from different threads, and their steps take turns.
class Engine {
 public:
  // The Executable and what it was made of must outlive the engine. kInvalidArgument if the Program
  // is no language model or was compiled for fewer sequences or a shorter context.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(
      std::shared_ptr<const Executable> executable, const EngineOptions& options);

  // An empty sequence. kResourceExhausted if as many as the options allow are alive.
  absl::StatusOr<SequenceId> NewSequence();
  // A sequence with the same tokens; in a paged cache their blocks are shared.
  absl::StatusOr<SequenceId> Clone(SequenceId sequence);
  void Release(SequenceId sequence);
  // Room for so many tokens more, so that a prompt that cannot fit is refused before it is run.
  absl::Status Reserve(SequenceId sequence, int64_t tokens);
  // Forgets everything from position `length` on.
  void Rewind(SequenceId sequence, int64_t length);

  // One call with the tokens of all requests, at most max_step_tokens() together; each sequence at
  // most once. On an error, or when `context.stop` ends it between two steps (kCancelled), no
  // sequence has changed. A step in which nobody wants logits computes those of its last token.
  absl::Status Step(std::span<const StepRequest> requests, const RunContext& context = {});

  // Samples rows of logits, shared out over the threads that run the model; `tokens` has an entry
  // for each. The same tokens as one row after the other.
  void Sample(std::span<const RowToSample> rows,
              std::span<absl::StatusOr<SampledToken>> tokens) const;

  // After a step: logits of row `row` of those that request `request` asked for.
  std::span<const float> logits(size_t request = 0, int64_t row = 0) const;
  // A further result of the graph (hidden states), all its rows.
  std::span<const float> extra_result(int index) const;

  // The tokens that a sequence holds.
  std::span<const int32_t> tokens(SequenceId sequence) const { return tokens_[sequence]; }
  int64_t context() const { return cache_->sequence_capacity(); }
  int32_t max_sequences() const { return cache_->max_sequences(); }
  int64_t max_step_tokens() const { return program().symbols[Symbol::kT].max; }
  int64_t vocabulary() const;
  const Program& program() const { return executable_->program(); }
  const Executable& executable() const { return *executable_; }
  const KvCache& cache() const { return *cache_; }

 private:
  Engine(std::shared_ptr<const Executable> executable, std::unique_ptr<KvCache> cache,
         std::unique_ptr<CallContext> context);
  absl::Status Run(std::span<const StepRequest> requests, const RunContext& context);

  std::shared_ptr<const Executable> executable_;
  std::unique_ptr<KvCache> cache_;
  std::unique_ptr<CallContext> context_;
  Executor executor_;
  std::vector<std::vector<int32_t>> tokens_;  // by sequence
  // Of the step under way; kept so that their memory is taken once.
  std::vector<int32_t> ids_;
  std::vector<BatchRequest> batch_requests_;
  std::vector<int64_t> first_row_;  // by request
};

}  // namespace infer
