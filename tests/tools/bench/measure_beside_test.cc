// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_beside.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "tests/support/hang_limit.h"

namespace infer {
namespace {

constexpr int64_t kRunNs = 1'000'000;
constexpr int64_t kExchangeNs = 8'000'000;

// A CPU whose time passes while somebody computes on it.
struct FakeCpu {
  std::atomic<int64_t> now_ns = 0;
  std::atomic<int64_t> runs = 0;  // of the work
};

// Each exchange comes after another run of the work. It takes time of that CPU, or of one of its
// own.
class OnACpu final : public Collective {
 public:
  OnACpu(FakeCpu* cpu, bool shares_it) : cpu_(cpu), shares_it_(shares_it) {}

  int rank() const override { return 0; }
  int ranks() const override { return 2; }
  absl::Status AllGather(std::span<const std::byte>, std::byte*) override {
    most_busy_threads = std::max(most_busy_threads, busy_threads);
    EXPECT_TRUE(WaitUntil([this] { return cpu_->runs > seen_runs_; }));
    seen_runs_ = cpu_->runs;
    if (shares_it_) cpu_->now_ns += kExchangeNs;
    return absl::OkStatus();
  }
  absl::Status AllToAll(const std::byte*, std::byte*, size_t) override { return absl::OkStatus(); }
  absl::Status Broadcast(std::span<std::byte>) override { return absl::OkStatus(); }
  void Abort(const absl::Status&) override {}
  void SetBusyThreads(int threads) override {
    busy_threads = threads;
    seen_runs_ = cpu_->runs;
  }

  int busy_threads = 0;
  int most_busy_threads = 0;  // during an exchange

 private:
  FakeCpu* cpu_;
  bool shares_it_;
  int64_t seen_runs_ = 0;
};

double BesideNs(bool shares_the_cpu) {
  FakeCpu cpu;
  OnACpu transport(&cpu, shares_the_cpu);
  const ParallelFor work = [&cpu](int64_t count, const std::function<void(int64_t)>&) {
    EXPECT_EQ(count, 2);
    cpu.now_ns += kRunNs;
    ++cpu.runs;
  };
  const absl::StatusOr<double> ns =
      MeasureBesideNs({.transport = &transport, .parallel_for = work}, /*threads=*/2,
                      [&cpu] { return cpu.now_ns.load(); });
  EXPECT_TRUE(ns.ok()) << ns.status();
  EXPECT_EQ(transport.most_busy_threads, 2);
  EXPECT_EQ(transport.busy_threads, 0);
  return ns.value_or(-1);
}

TEST(MeasureBeside, FindsWhatExchangesTakeFromProducts) {
  EXPECT_EQ(BesideNs(/*shares_the_cpu=*/true), kExchangeNs);
}

TEST(MeasureBeside, FindsNothingWhereExchangesHaveACpu) {
  EXPECT_EQ(BesideNs(/*shares_the_cpu=*/false), 0);
}

class Failing final : public Collective {
 public:
  int rank() const override { return 0; }
  int ranks() const override { return 2; }
  absl::Status AllGather(std::span<const std::byte>, std::byte*) override { return status; }
  absl::Status AllToAll(const std::byte*, std::byte*, size_t) override { return status; }
  absl::Status Broadcast(std::span<std::byte>) override { return status; }
  void Abort(const absl::Status&) override {}
  void SetBusyThreads(int threads) override { busy_threads = threads; }

  const absl::Status status = absl::DataLossError("gone");
  int busy_threads = 0;
};

TEST(MeasureBeside, AnErrorOfARankIsReturned) {
  Failing transport;
  const ParallelFor nothing = [](int64_t, const std::function<void(int64_t)>&) {};
  EXPECT_EQ(MeasureBesideNs({.transport = &transport, .parallel_for = nothing}, 1).status(),
            transport.status);
  EXPECT_EQ(transport.busy_threads, 0);
}

}  // namespace
}  // namespace infer
