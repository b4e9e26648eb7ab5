// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_beside.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

namespace infer {
namespace {

// Much longer than a thread of a busy machine wakes up late.
constexpr std::chrono::milliseconds kExchange{8};
constexpr double kHalfNs = 4e6;

// An exchange takes its time on the only CPU, which a mutex stands for, or on one of its own.
class OnACpu final : public Collective {
 public:
  OnACpu(std::mutex* cpu, std::chrono::microseconds time) : cpu_(cpu), time_(time) {}

  int rank() const override { return 0; }
  int ranks() const override { return 2; }
  absl::Status AllGather(std::span<const std::byte>, std::byte*) override {
    most_busy_threads = std::max(most_busy_threads, busy_threads);
    if (cpu_ == nullptr) {
      std::this_thread::sleep_for(time_);
      return status;
    }
    const std::lock_guard lock(*cpu_);
    std::this_thread::sleep_for(time_);
    return status;
  }
  absl::Status AllToAll(const std::byte*, std::byte*, size_t) override { return status; }
  absl::Status Broadcast(std::span<std::byte>) override { return status; }
  void Abort(const absl::Status&) override {}
  void SetBusyThreads(int threads) override { busy_threads = threads; }

  absl::Status status;
  int busy_threads = 0;
  int most_busy_threads = 0;  // during an exchange

 private:
  std::mutex* cpu_;
  std::chrono::microseconds time_;
};

// Sleeps take the same time beside other work on the machine.
ParallelFor WorkOn(std::mutex* cpu) {
  return [cpu](int64_t count, const std::function<void(int64_t)>&) {
    EXPECT_EQ(count, 2);
    {
      const std::lock_guard lock(*cpu);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // the exchange's turn
  };
}

TEST(MeasureBeside, FindsWhatExchangesTakeFromProducts) {
  std::mutex cpu;
  OnACpu transport(&cpu, kExchange);
  const ParallelFor work = WorkOn(&cpu);
  const absl::StatusOr<double> ns =
      MeasureBesideNs({.transport = &transport, .parallel_for = work}, /*threads=*/2);
  ASSERT_TRUE(ns.ok()) << ns.status();
  EXPECT_GT(*ns, kHalfNs);
  EXPECT_EQ(transport.most_busy_threads, 2);
  EXPECT_EQ(transport.busy_threads, 0);
}

TEST(MeasureBeside, FindsLittleWhereExchangesHaveACpu) {
  std::mutex cpu;
  OnACpu transport(nullptr, kExchange);
  const ParallelFor work = WorkOn(&cpu);
  const absl::StatusOr<double> ns =
      MeasureBesideNs({.transport = &transport, .parallel_for = work}, /*threads=*/2);
  ASSERT_TRUE(ns.ok()) << ns.status();
  EXPECT_LT(*ns, kHalfNs);
}

TEST(MeasureBeside, AnErrorOfARankIsReturned) {
  std::mutex cpu;
  OnACpu transport(&cpu, std::chrono::microseconds(1));
  transport.status = absl::DataLossError("gone");
  const ParallelFor nothing = [](int64_t, const std::function<void(int64_t)>&) {};
  EXPECT_EQ(MeasureBesideNs({.transport = &transport, .parallel_for = nothing}, 1).status(),
            transport.status);
  EXPECT_EQ(transport.busy_threads, 0);
}

}  // namespace
}  // namespace infer
