// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "runtime/backend.h"
#include "runtime/batch.h"
#include "runtime/call_context.h"
#include "runtime/executable.h"

namespace infer {

// When a call copies what its last segment copies, if that segment does nothing else.
enum class LastCopies : uint8_t { kNow, kLater };

// Runs an Executable, one call at a time, in the memory of a CallContext. Performs no allocations
// and no lookups. Both must outlive it.
class Executor {
 public:
  Executor(const Executable* executable, CallContext* context)
      : executable_(executable), context_(context) {}

  const Executable& executable() const { return *executable_; }
  const CallContext& context() const { return *context_; }

  // Runs the regime that contains T. `inputs` are the bytes of the graph's inputs, in order; the
  // entry for the batch is ignored. `batch` comes from KvCache::MakeBatch for the same T and R.
  // Results are valid until the next call, provided that this one succeeded. With kLater, those of
  // a last segment that only copies are not, unless the call is observed or recorded, which shows
  // every step.
  absl::Status Run(const SymbolValues& symbols, std::span<const std::span<const std::byte>> inputs,
                   const Batch& batch, const RunContext& context = {},
                   LastCopies last_copies = LastCopies::kNow);

  // Whether the last call has left copies out.
  bool has_copies_left() const { return left_out_ != nullptr; }
  // Makes up for them, so that all results are valid.
  absl::Status MakeCopiesLeft();

  // A result of the last call, with that call's dimensions. There must have been a call.
  const TensorView& result(int i) const { return state_->operands[regime_->results[i]].tensor; }
  // The bytes of one row of it.
  std::span<const std::byte> result_row(int i, int64_t row) const;
  int num_results() const { return static_cast<int>(regime_->results.size()); }

 private:
  absl::Status CheckSymbols(const SymbolValues& symbols) const;
  absl::Status BindInputs(std::span<const std::span<const std::byte>> inputs) const;
  // Checks the call and prepares its memory.
  absl::Status Begin(const SymbolValues& symbols,
                     std::span<const std::span<const std::byte>> inputs, const Batch& batch,
                     const RunContext& context);
  absl::Status RunSegments() const;
  absl::Status RunSegment(const ExecutableRegime::BoundSegment& bound) const;
  void WaitForAll() const;
  absl::Status Wait(std::span<const Device> queues) const;

  const Executable* executable_;
  CallContext* context_;
  const ExecutableRegime* regime_ = nullptr;
  CallContext::RegimeState* state_ = nullptr;
  RunContext running_;                                        // of the call that runs
  const ExecutableRegime::BoundSegment* left_out_ = nullptr;  // by the last call
};

}  // namespace infer
