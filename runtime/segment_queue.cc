// SPDX-License-Identifier: Apache-2.0
#include "runtime/segment_queue.h"

#include <cassert>
#include <system_error>
#include <utility>

#include "ir/base/strings.h"
#include "runtime/precise_sleep.h"

namespace infer {

absl::StatusOr<std::unique_ptr<SegmentQueue>> SegmentQueue::Create() {
  std::unique_ptr<SegmentQueue> queue(new SegmentQueue());
  try {
    queue->thread_ = std::thread([queue = queue.get()] { queue->Work(); });
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        StrCat("cannot start a thread for messages between ranks: ", error.what()));
  }
  return queue;
}

SegmentQueue::~SegmentQueue() {
  if (!thread_.joinable()) return;
  Add(nullptr, nullptr);
  thread_.join();
}

SegmentQueue::Ticket SegmentQueue::Submit(const Executor& executor,
                                          const ExecutableRegime::BoundSegment& segment) {
  assert(submitted_.load(std::memory_order_relaxed) - done_.load(std::memory_order_relaxed) <
         kMostWaiting);
  return Add(&executor, &segment);
}

SegmentQueue::Ticket SegmentQueue::Add(const Executor* executor,
                                       const ExecutableRegime::BoundSegment* segment) {
  const Ticket ticket = submitted_.load(std::memory_order_relaxed) + 1;
  TaskOf(ticket) = {executor, segment, absl::OkStatus()};
  submitted_.store(ticket, std::memory_order_release);
  submitted_.notify_one();
  return ticket;
}

absl::Status SegmentQueue::Wait(Ticket ticket) {
  while (true) {
    const Ticket done = done_.load(std::memory_order_acquire);
    if (static_cast<int32_t>(done - ticket) >= 0) return std::move(TaskOf(ticket).result);
    done_.wait(done, std::memory_order_acquire);
  }
}

// After an error no other segment runs: ranks exchange messages in the same order, and the next
// message would be taken for the one that was not sent.
void SegmentQueue::Work() {
  SleepPrecisely();  // a patient rank looks for messages every few microseconds
  absl::Status status;
  for (Ticket ticket = 1;; ++ticket) {
    submitted_.wait(ticket - 1, std::memory_order_acquire);
    Task& task = TaskOf(ticket);
    if (task.executor == nullptr) return;
    if (status.ok()) status = task.executor->RunSegment(*task.segment, RunContext::Exchange::kSend);
    task.result = status;
    done_.store(ticket, std::memory_order_release);
    done_.notify_one();
  }
}

}  // namespace infer
