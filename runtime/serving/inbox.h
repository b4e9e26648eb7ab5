// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/serving/active_request.h"

namespace infer {

struct PrefixToPrefetch {
  std::vector<int32_t> tokens;
  std::string cache_salt;
};

// What other threads ask of the runner's, and the bounds of its queue. All functions may be called
// from any thread.
class Inbox {
 public:
  struct Limits {
    int64_t requests = 0;  // in the queue
    int64_t tokens = 0;    // of their prompts
    int64_t running = 0;   // requests that may leave the queue at once
  };
  // All that was asked since the last Take.
  struct Commands {
    std::vector<std::unique_ptr<ActiveRequest>> submitted;
    std::vector<RequestId> cancelled;
    std::vector<std::pair<RequestId, bool>> paused;
    std::vector<PrefixToPrefetch> prefetches;
    bool stop = false;
    bool empty() const {
      return submitted.empty() && cancelled.empty() && paused.empty() && prefetches.empty() &&
             !stop;
    }
  };
  static constexpr size_t kMaxPrefetches = 64;  // the oldest are dropped

  explicit Inbox(const Limits& limits) : limits_(limits) {}

  // kUnavailable: no more requests are accepted; kResourceExhausted: the queue is full.
  absl::Status Submit(std::unique_ptr<ActiveRequest> request);
  void Cancel(RequestId id);
  void SetPaused(RequestId id, bool paused);
  void Prefetch(PrefixToPrefetch prefix);
  void StopAccepting();
  void Stop();

  // For the runner's thread. Take returns at once unless `wait`: then once there is something.
  Commands Take(bool wait);
  // A request with a prompt of this many tokens has left the queue.
  void Left(int64_t tokens);
  void SetRunning(int64_t requests);

  int64_t queued() const;
  int64_t refused() const;

 private:
  void Wake();

  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Commands commands_;
  bool accepts_ = true;
  int64_t queued_ = 0;
  int64_t queued_tokens_ = 0;
  int64_t running_ = 0;
  int64_t refused_ = 0;
};

}  // namespace infer
