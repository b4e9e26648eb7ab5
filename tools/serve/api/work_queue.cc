// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/work_queue.h"

#include <utility>

namespace infer::serve {
namespace {

constexpr size_t kMaxIdleJobs = 16;

}  // namespace

WorkQueue::WorkQueue(size_t max_jobs, size_t max_bytes)
    : max_jobs_(max_jobs), max_bytes_(max_bytes), thread_([this] { Run(); }) {}

WorkQueue::~WorkQueue() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool WorkQueue::Post(size_t bytes, std::function<void()> job) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // A job of any size runs if it is the only one.
    if (jobs_.size() >= max_jobs_ || (!jobs_.empty() && bytes_ + bytes > max_bytes_)) return false;
    bytes_ += bytes;
    jobs_.push_back({bytes, std::move(job)});
  }
  wake_.notify_one();
  return true;
}

bool WorkQueue::PostIdle(std::function<void()> job) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (idle_jobs_.size() >= kMaxIdleJobs || jobs_.size() > max_jobs_ / 2) return false;
    idle_jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

size_t WorkQueue::waiting() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return jobs_.size();
}

void WorkQueue::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stop_ || !jobs_.empty() || !idle_jobs_.empty(); });
    std::function<void()> run;
    if (!jobs_.empty()) {
      run = std::move(jobs_.front().run);
      bytes_ -= jobs_.front().bytes;
      jobs_.pop_front();
    } else if (stop_) {
      return;
    } else {
      run = std::move(idle_jobs_.front());
      idle_jobs_.pop_front();
    }
    lock.unlock();
    run();
    run = nullptr;
    lock.lock();
  }
}

}  // namespace infer::serve
