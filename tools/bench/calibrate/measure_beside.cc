// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_beside.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/precise_sleep.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

// Each thread computes on what a second-level cache holds, for 0.2 to 2 ms: the last run outlasts
// the exchanges, by little compared with all of them.
constexpr size_t kElements = 128 << 10;
constexpr int kPasses = 10;
constexpr int kRuns = 51;
// A rank's part of a gather of 64 rows of 1,024 elements, which two ranks send as bf16 or, for
// wider values, as int8.
constexpr size_t kMessageBytes = 128 << 10;
constexpr int kExchanges = 48;

double NsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Arithmetic on all threads of a rank.
class Work {
 public:
  Work(const ParallelFor& parallel_for, int threads)
      : parallel_for_(parallel_for),
        data_(static_cast<size_t>(threads), std::vector<float>(kElements, 1.0f)) {}

  void Run() {
    parallel_for_(std::ssize(data_), [this](int64_t i) {
      for (int pass = 0; pass < kPasses; ++pass) {
        for (float& value : data_[static_cast<size_t>(i)]) value = value * 0.5f + 1.0f;
      }
    });
  }

 private:
  const ParallelFor& parallel_for_;
  std::vector<std::vector<float>> data_;
};

double MedianNsAlone(Work& work) {
  std::vector<double> ns(kRuns);
  for (double& run_ns : ns) {
    const Clock::time_point start = Clock::now();
    work.Run();
    run_ns = NsSince(start);
  }
  std::ranges::nth_element(ns, ns.begin() + kRuns / 2);
  return ns[kRuns / 2];
}

absl::Status ExchangeAll(Collective& transport) {
  SleepPrecisely();
  const std::vector<std::byte> sent(kMessageBytes);
  std::vector<std::byte> received(kMessageBytes * static_cast<size_t>(transport.ranks()));
  for (int i = 0; i < kExchanges; ++i) {
    RETURN_IF_ERROR(transport.AllGather(sent, received.data()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<double> MeasureBesideNs(const RankLink& link, int threads) {
  Collective& transport = *link.transport;
  Work work(link.parallel_for, threads);
  const double alone_ns = MedianNsAlone(work);
  transport.SetBusyThreads(threads);
  const absl::Cleanup reset = [&] { transport.SetBusyThreads(0); };
  absl::Status status;
  std::atomic<bool> over = false;
  std::thread exchanging;
  try {
    exchanging = std::thread([&] {
      status = ExchangeAll(transport);
      over = true;
    });
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        StrCat("cannot start a thread for messages between ranks: ", error.what()));
  }
  const Clock::time_point start = Clock::now();
  int runs = 0;
  for (; !over; ++runs) work.Run();
  const double lost_ns = NsSince(start) - alone_ns * runs;
  exchanging.join();
  RETURN_IF_ERROR(status);
  return std::max(0.0, lost_ns / kExchanges);
}

}  // namespace infer
