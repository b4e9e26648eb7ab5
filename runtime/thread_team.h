// SPDX-License-Identifier: Apache-2.0
//
// A team of threads that wait for work between the calls of a decode loop, so that dispatching a
// region costs well under a microsecond. The caller takes part as thread 0.
//
// An idle worker spins for a while, because the next region usually comes within microseconds, and
// then sleeps on a condition variable, because an idle program must cost nothing. Dispatching is
// an atomic increment for each worker; the condition variable is touched only if one is asleep.
//
// Where other programs want the same CPUs, waiting threads sleep soon: a thread that spins or
// yields loses its share of the CPU, one that sleeps gets it when it is woken. And a governor may
// leave threads out of a region.
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
#include "runtime/thread_governor.h"

namespace infer {

struct ThreadTeamOptions {
  int threads = 1;
  bool pin = false;  // pin worker i to the i-th CPU that the process may use
  // How long a waiting thread spins before it sleeps. -1 chooses by whether every thread has its
  // own CPU.
  int64_t spin_us = -1;
  // Whether threads are left out of regions where others want their CPUs.
  bool adapts = true;
  // How long the team's threads have waited for a CPU, where the system is not to be asked.
  ThreadGovernor::DelayNs delay_ns = nullptr;
};

// Runs one region at a time, started from one thread at a time. Regions must not throw: their
// function is noexcept.
class ThreadTeam {
 public:
  // Returns kInvalidArgument for less than one thread or more than kMaxThreads, kResourceExhausted
  // if the system refuses to create one.
  static absl::StatusOr<std::unique_ptr<ThreadTeam>> Create(const ThreadTeamOptions& options);
  static constexpr int kMaxThreads = 512;

  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  int threads() const { return threads_; }

  // Calls region(context, ith) once on each active thread, with ith from 0 to active() - 1, and
  // returns when all calls have returned. Regions of one kind (0 to ThreadGovernor::kKinds - 1)
  // take about the same time. Returns kFailedPrecondition inside a region of this or another team:
  // the threads that it would need are the ones waiting for it.
  using Region = void (*)(void* context, int ith) noexcept;
  absl::Status Run(Region region, void* context, int kind = 0);

  // Inside a region: the number of threads that take part in it.
  int active() const { return active_; }

  // Between regions: whether other programs want the CPUs of the team.
  bool contended() const { return contended_.load(std::memory_order_relaxed); }

  // Inside a region: returns when every active thread has called it. Everything that any of
  // them wrote before is visible to all afterwards.
  void Barrier();

  // Pause puts idle workers to sleep at once instead of after they finish spinning. Resume wakes
  // them, so that the next region finds them spinning; a region also wakes them without it.
  void Pause();
  void Resume();

  // Time that each thread has waited so far for others to reach a barrier or the end of a region.
  // Call it only between regions.
  std::vector<uint64_t> WaitNs() const;

  // Number of workers that are asleep now; for tests and reports.
  int sleeping() const { return sleepers_.load(std::memory_order_relaxed); }

 private:
  explicit ThreadTeam(const ThreadTeamOptions& options);
  void Work(int ith);
  // Waits for the worker's next region after `seen` and returns its number. `last_active`: the
  // threads of its last region.
  uint64_t AwaitRegion(int ith, uint64_t seen, int last_active);
  // Calls done() until it is true or the time for spinning is up.
  template <class Done>
  void Spin(int64_t spin_us, Done done);
  // Called by a thread that has waited for a while: moves a worker off the caller's CPU.
  void StepAside();
  // Returns when done() is true, which changes with `word`; counts the time unless that is
  // immediately.
  template <class Done, class Word>
  void AwaitOthers(Done done, const std::atomic<Word>& word, int ith);
  // How long a thread spins that takes part in regions of so many threads.
  int64_t SpinUs(int active) const;
  bool AnyAsleep(int active) const;
  void SetActive(int active);
  void RunHere(Region region, void* context);
  void RunOnAll(Region region, void* context);

  // Counters that different threads write are on different cache lines; 128 bytes, because cores
  // fetch lines in pairs.
  static constexpr size_t kLine = 128;
  struct alignas(kLine) WaitCounter {
    uint64_t ns = 0;  // written only by its own thread
  };
  // The number of regions that a worker has been asked to take part in.
  struct alignas(kLine) Ticket {
    std::atomic<uint64_t> number{0};
    std::atomic<bool> asleep{false};
  };

  const int threads_;
  const int64_t spin_us_;
  const bool crowded_;  // more threads than CPUs
  std::vector<WaitCounter> waits_;
  std::vector<Ticket> tickets_;
  std::vector<std::atomic<int>> ids_;  // of the threads, for the system
  const bool adapts_;
  ThreadGovernor governor_;
  int active_ = 1;

  alignas(kLine) Region region_ = nullptr;
  void* context_ = nullptr;
  bool stopping_ = false;
  alignas(kLine) std::atomic<int> running_{0};  // workers that have not finished the region
  alignas(kLine) std::atomic<int> arrived_{0};  // at the barrier
  alignas(kLine) std::atomic<uint64_t> barrier_number_{0};
  alignas(kLine) std::atomic<int> waiters_{0};  // threads that sleep until others arrive
  alignas(kLine) std::atomic<int> sleepers_{0};
  std::atomic<bool> paused_{false};
  std::atomic<int> wanted_;  // active_, for workers that wait
  std::atomic<bool> contended_{false};
  std::atomic<int> caller_cpu_{-1};  // where thread 0 was when it last had a long wait
  uint64_t resume_number_ = 0;       // guarded by mutex_
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> workers_;
};

}  // namespace infer
