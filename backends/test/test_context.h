// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/backend.h"

namespace infer {

// When the queue of the test device starts work.
enum class TestPace {
  kEager,  // at once
  kLazy,   // when a caller waits for it
};

// The queue of the test device for the calls of one CallContext: a thread that runs its jobs one
// after the other.
class TestContext : public DeviceContext {
 public:
  // `pending` counts the jobs that are not complete, of all contexts that share it; may be null.
  explicit TestContext(TestPace pace, std::atomic<int64_t>* pending = nullptr);
  TestContext(const TestContext&) = delete;
  TestContext& operator=(const TestContext&) = delete;
  ~TestContext() override;

  const Batch* batch() const override { return &batch_; }
  absl::Status Begin(const Batch& batch) override;
  absl::Status Wait() override;

  // Jobs after one that failed are skipped until the next Wait.
  void Enqueue(std::function<absl::Status()> job);

 private:
  void Work();
  bool CanRun() const { return !jobs_.empty() && (pace_ == TestPace::kEager || waiters_ > 0); }

  const TestPace pace_;
  std::atomic<int64_t>* const pending_;
  Batch batch_;
  std::vector<int32_t> token_seq_, token_pos_, token_slot_, out_rows_;
  std::vector<BatchSequence> sequences_;
  std::vector<std::vector<int32_t>> block_tables_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<absl::Status()>> jobs_;  // the first may be running
  bool ends_ = false;
  int waiters_ = 0;
  absl::Status status_;
  std::thread thread_;  // last member: it uses all of the above
};

}  // namespace infer
