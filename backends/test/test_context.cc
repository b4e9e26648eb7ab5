// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_context.h"

#include <utility>

namespace infer {

TestContext::TestContext(TestPace pace, std::atomic<int64_t>* pending)
    : pace_(pace), pending_(pending), thread_([this] { Work(); }) {}

TestContext::~TestContext() {
  Wait().IgnoreError();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

absl::Status TestContext::Begin(const Batch& batch) {
  token_seq_.assign(batch.token_seq.begin(), batch.token_seq.end());
  token_pos_.assign(batch.token_pos.begin(), batch.token_pos.end());
  token_slot_.assign(batch.token_slot.begin(), batch.token_slot.end());
  out_rows_.assign(batch.out_rows.begin(), batch.out_rows.end());
  sequences_.assign(batch.sequences.begin(), batch.sequences.end());
  block_tables_.clear();
  for (BatchSequence& sequence : sequences_) {
    block_tables_.emplace_back(sequence.block_table.begin(), sequence.block_table.end());
    sequence.block_table = block_tables_.back();  // stays valid when the outer vector grows
  }
  batch_ = {.token_seq = token_seq_,
            .token_pos = token_pos_,
            .token_slot = token_slot_,
            .out_rows = out_rows_,
            .sequences = sequences_,
            .block_positions = batch.block_positions};
  return absl::OkStatus();
}

absl::Status TestContext::Wait() {
  std::unique_lock lock(mutex_);
  ++waiters_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return jobs_.empty(); });
  --waiters_;
  return std::exchange(status_, absl::OkStatus());
}

void TestContext::Enqueue(std::function<absl::Status()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (pending_ != nullptr) ++*pending_;
  }
  changed_.notify_all();
}

void TestContext::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || CanRun(); });
    if (jobs_.empty()) return;
    if (status_.ok()) {
      const std::function<absl::Status()>& job = jobs_.front();
      lock.unlock();
      absl::Status status = job();
      lock.lock();
      status_.Update(status);
    }
    jobs_.pop_front();
    if (pending_ != nullptr) --*pending_;
    changed_.notify_all();
  }
}

}  // namespace infer
