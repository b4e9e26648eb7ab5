// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "runtime/executor.h"

namespace infer {

// Sends the messages of segments, one after the other in a thread of its own, while the caller runs
// others. At most kMostWaiting may be under way. After one has failed, the others fail with its
// error. Performs no allocations. Used by one thread.
class SegmentQueue {
 public:
  static constexpr size_t kMostWaiting = 2;

  // Returns kResourceExhausted if the system has no thread for it.
  static absl::StatusOr<std::unique_ptr<SegmentQueue>> Create();
  ~SegmentQueue();
  SegmentQueue(const SegmentQueue&) = delete;
  SegmentQueue& operator=(const SegmentQueue&) = delete;

  // The number of a segment, counted from 1 in the order in which they were submitted.
  using Ticket = uint32_t;
  // Both must stay as they are until Wait returns.
  Ticket Submit(const Executor& executor, const ExecutableRegime::BoundSegment& segment);
  // Returns the result of a segment once it has run; tickets are waited for in order, each once.
  absl::Status Wait(Ticket ticket);

 private:
  SegmentQueue() = default;
  struct Task {
    const Executor* executor = nullptr;  // null: the thread is to end
    const ExecutableRegime::BoundSegment* segment = nullptr;
    absl::Status result;
  };
  Task& TaskOf(Ticket ticket) { return tasks_[ticket % tasks_.size()]; }
  Ticket Add(const Executor* executor, const ExecutableRegime::BoundSegment* segment);
  void Work();

  std::array<Task, 4> tasks_;  // the end follows what is under way
  std::atomic<Ticket> submitted_ = 0;
  std::atomic<Ticket> done_ = 0;
  std::thread thread_;
};

}  // namespace infer
