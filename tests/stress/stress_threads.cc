// SPDX-License-Identifier: Apache-2.0
//
// Hands out regions by the million and ends with an error if one is not done by every thread or if
// nothing moves for kHangLimit: a lost wake-up. Not part of the test suite; see README.md.
//
//   stress_threads [DISPATCHES [ASLEEP [THREADS]]]
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "runtime/thread_team.h"
#include "tests/support/hang_limit.h"

namespace infer {
namespace {

// Ends the process if `progress` stands still.
class Watchdog {
 public:
  explicit Watchdog(const std::atomic<uint64_t>* progress)
      : progress_(progress), thread_([this] { Watch(); }) {}
  ~Watchdog() {
    stop_ = true;
    thread_.join();
  }

 private:
  void Watch() {
    using Clock = std::chrono::steady_clock;
    uint64_t last = 0;
    Clock::time_point since = Clock::now();
    while (!stop_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const uint64_t now = progress_->load(std::memory_order_relaxed);
      if (now != last) {
        last = now;
        since = Clock::now();
      } else if (Clock::now() - since > kHangLimit) {
        std::fprintf(stderr, "stress_threads: dispatch %llu hangs: a lost wake-up\n",
                     static_cast<unsigned long long>(now));
        std::_Exit(1);
      }
    }
  }

  const std::atomic<uint64_t>* progress_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// A counter for each thread, in lines of their own.
struct alignas(128) Count {
  uint64_t regions = 0;
};

struct Stress {
  uint64_t dispatches;
  uint64_t asleep;
  int threads;
};

int Run(const Stress& stress) {
  ThreadTeamOptions options;
  options.adapts = false;
  options.threads = stress.threads;
  auto team = ThreadTeam::Create(options);
  if (!team.ok()) {
    std::fprintf(stderr, "stress_threads: %s\n", std::string(team.status().message()).c_str());
    return 2;
  }
  std::vector<Count> counts(stress.threads);
  std::atomic<uint64_t> done = 0;
  uint64_t found_asleep = 0;
  Watchdog watchdog(&done);
  for (uint64_t i = 0; i < stress.dispatches; ++i) {
    // Spread evenly; of the others, every 16th is begun while workers may be falling asleep.
    const bool asleep =
        i * stress.asleep / stress.dispatches != (i + 1) * stress.asleep / stress.dispatches;
    if (asleep || i % 16 == 0) (*team)->Pause();
    while (asleep && (*team)->sleeping() < stress.threads - 1) std::this_thread::yield();
    if (i % 64 == 0) (*team)->Resume();
    found_asleep += (*team)->sleeping() > 0 ? 1 : 0;
    auto region = [](void* context, int ith) noexcept {
      ++(*static_cast<std::vector<Count>*>(context))[ith].regions;
    };
    if (!(*team)->Run(region, &counts).ok()) return 1;
    for (const Count& count : counts) {
      if (count.regions == i + 1) continue;
      std::fprintf(stderr, "stress_threads: a thread has run %llu of %llu regions\n",
                   static_cast<unsigned long long>(count.regions),
                   static_cast<unsigned long long>(i + 1));
      return 1;
    }
    done.store(i + 1, std::memory_order_relaxed);
  }
  std::printf("%llu dispatches on %d threads, %llu of them with workers asleep: none was lost\n",
              static_cast<unsigned long long>(stress.dispatches), stress.threads,
              static_cast<unsigned long long>(found_asleep));
  return 0;
}

}  // namespace
}  // namespace infer

int main(int argc, char** argv) {
  auto number = [&](int i, uint64_t otherwise) {
    return i < argc ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  const infer::Stress stress{number(1, 10000000), number(2, 1100000),
                             static_cast<int>(number(3, 2))};
  return infer::Run(stress);
}
