// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace infer {

// A lock that is granted in the order of requests, so that sequences that share threads advance
// evenly. Works with std::lock_guard.
class Turn {
 public:
  void lock() {
    std::unique_lock<std::mutex> hold(mutex_);
    const uint64_t ticket = next_++;
    changed_.wait(hold, [&] { return serving_ == ticket; });
  }
  void unlock() {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      ++serving_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t next_ = 0;
  uint64_t serving_ = 0;
};

// Yields the turn to others during its lifetime. `turn` must be held.
class YieldTurn {
 public:
  explicit YieldTurn(Turn* turn) : turn_(turn) { turn_->unlock(); }
  ~YieldTurn() { turn_->lock(); }
  YieldTurn(const YieldTurn&) = delete;
  YieldTurn& operator=(const YieldTurn&) = delete;

 private:
  Turn* turn_;
};

}  // namespace infer
