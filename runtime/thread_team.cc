// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_team.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

#include "ir/base/advice.h"
#include "ir/base/strings.h"
#include "runtime/run_delay.h"

namespace infer {
namespace {

// Regions of a decode step follow each other within tens of microseconds, and steps within a
// fraction of a millisecond (sampling, printing); two milliseconds cover both.
constexpr int64_t kSpinWithOwnCpuUs = 2000;
// With more threads than CPUs, a spinning thread keeps the one that it waits for from running.
constexpr int64_t kSpinWithoutOwnCpuUs = 5;
// Where others want our CPUs, too.
constexpr int64_t kSpinContendedUs = 20;
// After waiting this long, a worker leaves the CPU of the caller.
constexpr auto kStepAsideAfter = std::chrono::microseconds(5);
// Checks between two readings of the clock, each of which costs about as much as 30 pauses.
constexpr int kLooksPerClock = 64;

thread_local bool in_region = false;
thread_local int number_in_team = 0;
thread_local const int caller_id = ThreadId();

void CpuRelax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int NumUsableCpus() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
#endif
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : static_cast<int>(count);
}

// Best effort: a CPU that is no longer available is not an error.
void PinTo([[maybe_unused]] int ith) {
#if defined(__linux__)
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) return;
  int wanted = ith % CPU_COUNT(&usable);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &usable) || wanted-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
    return;
  }
#endif
}

#if defined(__linux__)
// Setting a mask without the CPU moves the thread at once; restoring the mask lets the system move
// it again.
void LeaveCpu(int cpu) {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0 || CPU_COUNT(&usable) < 2) return;
  cpu_set_t others = usable;
  CPU_CLR(cpu, &others);
  if (sched_setaffinity(0, sizeof(others), &others) == 0) {
    sched_setaffinity(0, sizeof(usable), &usable);
  }
}
#endif

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ThreadTeam>> ThreadTeam::Create(const ThreadTeamOptions& options) {
  if (options.threads < 1 || options.threads > kMaxThreads) {
    return absl::InvalidArgumentError(
        StrCat("a thread team of ", options.threads, " threads: expected 1 to ", kMaxThreads));
  }
  auto team = std::unique_ptr<ThreadTeam>(new ThreadTeam(options));
  for (int ith = 1; ith < options.threads; ++ith) {
    try {
      team->workers_.emplace_back([worker = team.get(), ith, pin = options.pin] {
        if (pin) PinTo(ith);
        worker->Work(ith);
      });
    } catch (const std::system_error& error) {
      return WithAdvice(absl::ResourceExhaustedError(StrCat(
                            "thread ", ith + 1, " of ", options.threads,
                            " could not be started: ", error.what(), "; ask for fewer threads")),
                        {Advice::kThreads});
    }
  }
  return team;
}

ThreadTeam::ThreadTeam(const ThreadTeamOptions& options)
    : threads_(options.threads),
      spin_us_(options.spin_us >= 0                 ? options.spin_us
               : options.threads <= NumUsableCpus() ? kSpinWithOwnCpuUs
                                                    : kSpinWithoutOwnCpuUs),
      crowded_(options.threads > NumUsableCpus()),
      waits_(options.threads),
      tickets_(options.threads),
      ids_(options.threads),
      adapts_(options.adapts),
      governor_(
          options.threads,
          options.delay_ns != nullptr
              ? options.delay_ns
              : [this] { return RunDelayNs(std::vector<int>(ids_.begin(), ids_.end())); }),
      wanted_(options.threads) {
  workers_.reserve(options.threads - 1);
}

ThreadTeam::~ThreadTeam() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Ticket& ticket : tickets_) ticket.number.fetch_add(1, std::memory_order_seq_cst);
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

// The CPUs of threads that are left out are for the other programs, so the rest may spin.
int64_t ThreadTeam::SpinUs(int active) const {
  if (!contended() || active < threads_) return spin_us_;
  return std::min(spin_us_, kSpinContendedUs);
}

bool ThreadTeam::AnyAsleep(int active) const {
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return false;
  for (int ith = 1; ith < active; ++ith) {
    if (tickets_[ith].asleep.load(std::memory_order_seq_cst)) return true;
  }
  return false;
}

template <class Done>
void ThreadTeam::Spin(int64_t spin_us, Done done) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point aside_from = {}, end = {};
  bool waited = false;
  while (true) {
    for (int i = 0; i < kLooksPerClock; ++i) {
      if (done()) return;
      CpuRelax();
    }
    const Clock::time_point now = Clock::now();
    if (end == Clock::time_point()) {
      aside_from = now + kStepAsideAfter;
      end = now + std::chrono::microseconds(spin_us);
    }
    if (now >= end) return;
    if (now >= aside_from && !std::exchange(waited, true)) StepAside();
  }
}

template <class Done, class Word>
void ThreadTeam::AwaitOthers(Done done, const std::atomic<Word>& word, int ith) {
  using Clock = std::chrono::steady_clock;
  // The others have often nearly arrived; reading the clock would then be most of the cost.
  for (int i = 0; i < kLooksPerClock; ++i) {
    if (done()) return;
    CpuRelax();
  }
  const Clock::time_point start = Clock::now();
  Spin(SpinUs(active_), done);
  while (true) {
    const Word value = word.load(std::memory_order_acquire);
    if (done()) break;
    // Either the thread that changes the word sees the waiter, or the waiter sees the change.
    waiters_.fetch_add(1, std::memory_order_seq_cst);
    word.wait(value, std::memory_order_seq_cst);
    waiters_.fetch_sub(1, std::memory_order_relaxed);
  }
  waits_[ith].ns +=
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// If all CPUs are busy, the system wakes a worker on the CPU of its waker and may leave both there
// for seconds: each dispatch then took 11.5 us instead of 0.3.
void ThreadTeam::StepAside() {
#if defined(__linux__)
  if (crowded_) return;
  const int cpu = sched_getcpu();
  if (number_in_team == 0) {
    caller_cpu_.store(cpu, std::memory_order_relaxed);
  } else if (cpu >= 0 && cpu == caller_cpu_.load(std::memory_order_relaxed)) {
    LeaveCpu(cpu);
  }
#endif
}

// An unconditional store would take the cache line from spinning workers that read it.
void ThreadTeam::SetActive(int active) {
  active_ = active;
  if (wanted_.load(std::memory_order_relaxed) != active) {
    wanted_.store(active, std::memory_order_relaxed);
  }
}

void ThreadTeam::RunHere(Region region, void* context) {
  in_region = true;
  region(context, 0);
  in_region = false;
}

void ThreadTeam::RunOnAll(Region region, void* context) {
  region_ = region;
  context_ = context;
  running_.store(active_ - 1, std::memory_order_relaxed);
  if (paused_.load(std::memory_order_relaxed)) paused_.store(false, std::memory_order_relaxed);
  // Sequentially consistent, like the pair of accesses in AwaitRegion: either this thread sees the
  // sleeper, or the sleeper sees the new number before it sleeps.
  for (int ith = 1; ith < active_; ++ith) {
    std::atomic<uint64_t>& number = tickets_[ith].number;
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  }
  if (AnyAsleep(active_)) {
    // Taking the lock waits for a worker that is between its last check and its sleep.
    {
      std::lock_guard lock(mutex_);
    }
    wake_.notify_all();
  }
  in_region = true;
  region(context, 0);
  in_region = false;
  AwaitOthers([this] { return running_.load(std::memory_order_acquire) == 0; }, running_, 0);
}

absl::Status ThreadTeam::Run(Region region, void* context, int kind) {
  if (in_region) {
    return absl::FailedPreconditionError("a region cannot be started from inside a region");
  }
  if (threads_ == 1) {
    RunHere(region, context);
    return absl::OkStatus();
  }
  if (!adapts_) {
    SetActive(threads_);
    RunOnAll(region, context);
    return absl::OkStatus();
  }
  const int64_t began = NowNs();
  ids_[0] = caller_id;
  SetActive(governor_.Choose(kind, began));
  if (active_ == 1) {
    RunHere(region, context);
  } else {
    RunOnAll(region, context);
  }
  governor_.Record(kind, active_, began, NowNs());
  if (contended_.load(std::memory_order_relaxed) != governor_.contended()) {
    contended_.store(governor_.contended(), std::memory_order_relaxed);
  }
  return absl::OkStatus();
}

void ThreadTeam::Work(int ith) {
  in_region = true;  // a worker never starts regions
  number_in_team = ith;
  ids_[ith] = ThreadId();
  uint64_t seen = 0;
  int active = threads_;
  while (true) {
    seen = AwaitRegion(ith, seen, active);
    if (stopping_) return;
    region_(context_, ith);
    active = active_;
    if (running_.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
        waiters_.load(std::memory_order_seq_cst) > 0) {
      running_.notify_one();
    }
  }
}

uint64_t ThreadTeam::AwaitRegion(int ith, uint64_t seen, int last_active) {
  Ticket& ticket = tickets_[ith];
  const std::atomic<uint64_t>& number = ticket.number;
  auto started = [&] { return number.load(std::memory_order_acquire) != seen; };
  // A thread that is left out gives its CPU to the others at once.
  auto called = [&] {
    return started() || paused_.load(std::memory_order_relaxed) ||
           wanted_.load(std::memory_order_relaxed) <= ith;
  };
  Spin(SpinUs(last_active), called);
  while (!started()) {
    {
      std::unique_lock lock(mutex_);
      const uint64_t resumed = resume_number_;
      ticket.asleep.store(true, std::memory_order_seq_cst);
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      // Checks again under the lock before sleeping, so that no wake-up is lost.
      wake_.wait(lock, [&] {
        return number.load(std::memory_order_seq_cst) != seen || resume_number_ != resumed;
      });
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      ticket.asleep.store(false, std::memory_order_relaxed);
    }
    Spin(SpinUs(last_active), called);
  }
  return seen + 1;
}

void ThreadTeam::Barrier() {
  if (active_ == 1) return;
  const uint64_t number = barrier_number_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) == active_ - 1) {
    arrived_.store(0, std::memory_order_relaxed);
    barrier_number_.store(number + 1, std::memory_order_seq_cst);
    if (waiters_.load(std::memory_order_seq_cst) > 0) barrier_number_.notify_all();
    return;
  }
  AwaitOthers([&] { return barrier_number_.load(std::memory_order_acquire) != number; },
              barrier_number_, number_in_team);
}

std::vector<uint64_t> ThreadTeam::WaitNs() const {
  std::vector<uint64_t> ns;
  for (const WaitCounter& wait : waits_) ns.push_back(wait.ns);
  return ns;
}

void ThreadTeam::Pause() { paused_.store(true, std::memory_order_relaxed); }

void ThreadTeam::Resume() {
  {
    std::lock_guard lock(mutex_);
    paused_.store(false, std::memory_order_relaxed);
    ++resume_number_;
  }
  wake_.notify_all();
}

}  // namespace infer
