// SPDX-License-Identifier: Apache-2.0
//
// Threads that wait for work between the calls of a decode loop, so that handing out a region costs
// well under a microsecond. The caller takes part as thread 0.
//
// A worker that has nothing to do spins for a while, because the next region usually comes within
// microseconds, and then sleeps on a condition variable, because an idle program must cost nothing.
// Handing out is one atomic increment; the condition variable is touched only if somebody sleeps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

struct ThreadTeamOptions {
  int threads = 1;
  bool pin = false;  // worker i to the i-th CPU that the process may use
  // How long an idle worker spins before it sleeps, and how long anyone spins at a barrier before
  // giving up the CPU between two looks. -1: by whether there is a CPU for every thread.
  int64_t spin_us = -1;
};

// One region at a time, from one thread at a time. Not for code that throws: a region's function is
// noexcept.
class ThreadTeam {
 public:
  // kInvalidArgument for less than one thread or more than kMaxThreads; kResourceExhausted if the
  // system refuses one.
  static absl::StatusOr<std::unique_ptr<ThreadTeam>> Create(const ThreadTeamOptions& options);
  static constexpr int kMaxThreads = 512;

  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  int threads() const { return threads_; }

  // Calls region(context, ith) once on each thread, ith from 0 to threads() - 1, and returns when
  // all calls have. kFailedPrecondition inside a region, of this team or another: the threads it
  // would need are those that wait for it.
  using Region = void (*)(void* context, int ith) noexcept;
  absl::Status Run(Region region, void* context);

  // Inside a region: returns when every thread of the team has called it. What any of them wrote
  // before is visible to all afterwards.
  void Barrier();

  // Pause sends idle workers to sleep at once instead of when they are done spinning. Resume wakes
  // them, so that the next region finds them spinning; a region without it wakes them too.
  void Pause();
  void Resume();

  // What each thread has waited so far for others to reach a barrier or the end of a region.
  // Between regions only.
  std::vector<uint64_t> WaitNs() const;

  // Workers asleep now; for tests and reports.
  int sleeping() const { return sleepers_.load(std::memory_order_relaxed); }

 private:
  explicit ThreadTeam(const ThreadTeamOptions& options);
  void Work(int ith);
  // The number of the next region after `seen`.
  uint64_t AwaitRegion(uint64_t seen);
  template <class Done>
  void Spin(Done done);
  // Called by who has waited for a while: a worker on the caller's CPU leaves it.
  void StepAside();
  // Returns when done() is true, and counts the time if that is not at once.
  template <class Done>
  void AwaitOthers(Done done, int ith);

  // Counters that different threads write lie in different cache lines; 128 bytes, because cores
  // fetch lines in pairs.
  static constexpr size_t kLine = 128;
  struct alignas(kLine) WaitCounter {
    uint64_t ns = 0;  // written by its thread alone
  };

  const int threads_;
  const int64_t spin_us_;
  const bool yields_;  // more threads than CPUs: whoever waits must let the others run
  std::vector<WaitCounter> waits_;

  // What a worker needs to start, in the line that it watches.
  alignas(kLine) std::atomic<uint64_t> region_number_{0};
  Region region_ = nullptr;
  void* context_ = nullptr;
  bool stopping_ = false;
  alignas(kLine) std::atomic<int> running_{0};  // workers that have not finished the region
  alignas(kLine) std::atomic<int> arrived_{0};  // at the barrier
  alignas(kLine) std::atomic<uint64_t> barrier_number_{0};
  alignas(kLine) std::atomic<int> sleepers_{0};
  std::atomic<bool> paused_{false};
  std::atomic<int> caller_cpu_{-1};  // where thread 0 was when it last waited for long
  uint64_t resume_number_ = 0;       // under mutex_
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> workers_;
};

}  // namespace infer
