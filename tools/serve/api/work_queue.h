// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace infer::serve {

// Runs jobs one after the other on a thread of its own: parsing, rendering and tokenizing large
// requests must not hold up the thread that does input and output.
class WorkQueue {
 public:
  // At most `max_jobs` wait, with at most `max_bytes` together.
  WorkQueue(size_t max_jobs, size_t max_bytes);
  // Runs the jobs that wait.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Returns false, and drops the job, if the queue is full. `bytes` is what the job holds.
  bool Post(size_t bytes, std::function<void()> job);
  // The same for a job that others come before, and that is dropped as soon as half of the queue is
  // in use.
  bool PostIdle(std::function<void()> job);

  size_t waiting() const;

 private:
  struct Job {
    size_t bytes;
    std::function<void()> run;
  };
  void Run();

  const size_t max_jobs_;
  const size_t max_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::deque<std::function<void()>> idle_jobs_;
  size_t bytes_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace infer::serve
