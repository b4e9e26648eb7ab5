// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_beside.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace infer {
namespace {

// An exchange takes its time on the only CPU, which a mutex stands for.
class OnTheOnlyCpu final : public Collective {
 public:
  OnTheOnlyCpu(std::mutex* cpu, std::chrono::microseconds time) : cpu_(cpu), time_(time) {}

  int rank() const override { return 0; }
  int ranks() const override { return 2; }
  absl::Status AllGather(std::span<const std::byte>, std::byte*) override {
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

 private:
  std::mutex* cpu_;
  std::chrono::microseconds time_;
};

TEST(MeasureBeside, FindsWhatExchangesTakeFromProducts) {
  std::mutex cpu;
  OnTheOnlyCpu transport(&cpu, std::chrono::milliseconds(3));
  const ParallelFor work = [&](int64_t count, const std::function<void(int64_t)>& body) {
    EXPECT_EQ(count, 2);
    {
      const std::lock_guard lock(cpu);
      SerialFor(count, body);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // the exchange's turn
  };
  const absl::StatusOr<double> ns =
      MeasureBesideNs({.transport = &transport, .parallel_for = work}, /*threads=*/2);
  ASSERT_TRUE(ns.ok()) << ns.status();
  EXPECT_GT(*ns, 1.5e6);
  EXPECT_EQ(transport.busy_threads, 0);
}

TEST(MeasureBeside, AnErrorOfARankIsReturned) {
  std::mutex cpu;
  OnTheOnlyCpu transport(&cpu, std::chrono::microseconds(1));
  transport.status = absl::DataLossError("gone");
  EXPECT_EQ(MeasureBesideNs({.transport = &transport}, 1).status(), transport.status);
}

}  // namespace
}  // namespace infer
