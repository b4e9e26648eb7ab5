// SPDX-License-Identifier: Apache-2.0
//
// Records when each thread started and finished each step of a call and how long it waited: the
// data behind profiles and traces.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace infer {

struct KernelArgs;

// One step on one thread. Times are those of StepClockNs.
struct StepEvent {
  int64_t start_ns = 0;  // 0: the thread did not run the segment; equal to end_ns: it took no part
  int64_t end_ns = 0;
  int64_t wait_end_ns = 0;    // when it left the barrier after the step; end_ns if there is none
  int64_t inner_wait_ns = 0;  // between start and end, for others to finish a kernel phase

  int64_t busy_ns() const { return end_ns - start_ns - inner_wait_ns; }
  int64_t wait_ns() const { return wait_end_ns - end_ns + inner_wait_ns; }
};

inline int64_t StepClockNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The events of one call of one regime, by thread and by step number in the plan. All memory is
// allocated up front, and each thread writes its own block. A device with a queue of its own writes
// its steps to the block of thread 0, which does not write those.
class StepEvents {
 public:
  StepEvents(int steps, int threads)
      : threads_(threads, std::vector<StepEvent>(steps)), experts_(steps) {}

  int threads() const { return static_cast<int>(threads_.size()); }
  std::span<StepEvent> thread(int ith) { return threads_[ith]; }
  std::span<const StepEvent> thread(int ith) const { return threads_[ith]; }

  // Makes CountRows count for a step of this many experts; its input number `input` has the ids.
  void HasExperts(int step, int input, int64_t experts);
  // Counts the rows that each expert of the step gets. Called by one thread, once the inputs of
  // the step are complete; does nothing for a step without experts.
  void CountRows(int step, const KernelArgs& args);
  // Of the last call, by expert; empty for a step without experts.
  std::span<const int32_t> expert_rows(int step) const { return experts_[step].rows; }

 private:
  struct Experts {
    int input = 0;
    std::vector<int32_t> rows;
  };

  std::vector<std::vector<StepEvent>> threads_;
  std::vector<Experts> experts_;  // indexed by step number
};

}  // namespace infer
