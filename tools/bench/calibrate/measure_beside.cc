// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_beside.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/precise_sleep.h"

namespace infer {
namespace {

// Each thread computes on what a second-level cache holds, for 0.2 to 2 ms: the last run outlasts
// the exchanges, by little compared with all of them.
constexpr size_t kElements = 128 << 10;
constexpr int kPasses = 10;
constexpr int kRuns = 51;
// A rank's part of a gather of 64 rows of 1,024 elements, which two ranks send as bf16 or, for
// wider values, as int8.
constexpr size_t kMessageBytes = 128 << 10;
constexpr int kExchanges = 48;

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

int64_t MedianNsAlone(Work& work, const std::function<int64_t()>& now_ns) {
  std::vector<int64_t> ns(kRuns);
  for (int64_t& run_ns : ns) {
    const int64_t start_ns = now_ns();
    work.Run();
    run_ns = now_ns() - start_ns;
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

absl::StatusOr<double> MeasureBesideNs(const RankLink& link, int threads,
                                       const std::function<int64_t()>& now_ns) {
  Collective& transport = *link.transport;
  Work work(link.parallel_for, threads);
  const int64_t alone_ns = MedianNsAlone(work, now_ns);
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
  const int64_t start_ns = now_ns();
  int64_t runs = 0;
  for (; !over; ++runs) work.Run();
  const int64_t lost_ns = now_ns() - start_ns - alone_ns * runs;
  exchanging.join();
  RETURN_IF_ERROR(status);
  return std::max(0.0, static_cast<double>(lost_ns) / kExchanges);
}

}  // namespace infer
