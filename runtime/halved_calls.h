// SPDX-License-Identifier: Apache-2.0
//
// Calls of a rank that run as two halves of their tokens (Plan::halves). While the messages of one
// half travel to and from the other ranks, the other half computes:
//
//   threads    | a1 | b1 | a2 | b2 | a3 ...
//   messages        | a1 | b1 | a2 | b2 ...
//
// Each half runs the same segments as a whole call, in memory of its own; one that wants no rows of
// logits leaves out those that compute nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/batch_halves.h"
#include "runtime/call_context.h"
#include "runtime/executor.h"
#include "runtime/segment_queue.h"

namespace infer {

class HalvedCalls {
 public:
  // Returns null if the Program has no such calls, or if the ranks have memory in common, where
  // nothing travels. Every rank of a divided model calls it. `first` runs the first halves and must
  // outlive the result; the others are as for CallContext::Create.
  static absl::StatusOr<std::unique_ptr<HalvedCalls>> Create(Executor* first,
                                                             std::span<const KvView> states,
                                                             std::span<const std::byte> cache,
                                                             int64_t most_sequences);

  // Whether a call is one of these.
  bool Has(const Batch& batch) const { return TokensOfFirst(batch) > 0; }

  // Runs one. Every rank runs the same.
  absl::Status Run(std::span<const int32_t> tokens, const Batch& batch);

  // The bytes of a row of a result of the last call.
  std::span<const std::byte> result_row(int i, int64_t row) const;

 private:
  // The calls of a regime.
  struct Calls {
    Range tokens;
    int64_t least_of_half = 0;
    int64_t least_of_part = 0;  // of a sequence of which both halves have some
  };
  static Calls CallsOf(const Regime& regime, const KernelRegistry& registry);

  HalvedCalls(std::vector<Calls> calls, Executor* first, std::unique_ptr<CallContext> second,
              std::unique_ptr<SegmentQueue> queue, int64_t most_sequences);
  // How many tokens of a call the first half has; 0: the call is none of these.
  int64_t TokensOfFirst(const Batch& batch) const;
  const Executable& executable() const { return executors_[0]->executable(); }
  absl::Status RunSegments();
  absl::Status RunPart(size_t half, size_t* segment);
  absl::Status Wait(size_t half);

  std::vector<Calls> calls_;
  std::unique_ptr<CallContext> context_;  // of the second half
  Executor second_;
  std::array<Executor*, 2> executors_;
  // A segment whose messages are under way.
  struct Sending {
    const ExecutableRegime::BoundSegment* segment = nullptr;
    SegmentQueue::Ticket ticket = 0;
  };
  std::array<std::optional<Sending>, 2> sending_;
  BatchHalves halves_;
  std::unique_ptr<SegmentQueue> queue_;
};

}  // namespace infer
