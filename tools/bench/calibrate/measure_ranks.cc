// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_ranks.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

#include "ir/base/status_macros.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

// What a rank sends: so little that only the delay counts, and as much as a chunk of a prompt.
constexpr size_t kSmallBytes = 256;
constexpr size_t kLargeBytes = 1 << 20;
constexpr int kSmallRounds = 200;
constexpr int kLargeRounds = 64;

// What ranks exchange comes from other memory each time, as in a model: 16 MiB at the larger size.
constexpr int kBuffers = 16;

// Returns the shortest time of an exchange in nanoseconds: other work only makes it longer.
absl::StatusOr<double> TimeExchange(Collective& transport, size_t bytes, int rounds) {
  const size_t received_bytes = bytes * static_cast<size_t>(transport.ranks());
  const std::vector<std::byte> sent(bytes * kBuffers);
  std::vector<std::byte> received(received_bytes * kBuffers);
  double best_ns = std::numeric_limits<double>::max();
  for (int i = 0; i < rounds; ++i) {
    const Clock::time_point start = Clock::now();
    const size_t buffer = static_cast<size_t>(i % kBuffers);
    RETURN_IF_ERROR(transport.AllGather({sent.data() + buffer * bytes, bytes},
                                        received.data() + buffer * received_bytes));
    const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
    best_ns = std::min(best_ns, elapsed.count());
  }
  return best_ns;
}

}  // namespace

absl::Status MeasureRanks(Collective& transport, MachineDescription* machine) {
  int32_t turn = 0;
  RETURN_IF_ERROR(transport.Broadcast(std::as_writable_bytes(std::span(&turn, 1))));
  ASSIGN_OR_RETURN(const double small_ns, TimeExchange(transport, kSmallBytes, kSmallRounds));
  ASSIGN_OR_RETURN(const double large_ns, TimeExchange(transport, kLargeBytes, kLargeRounds));
  if (transport.rank() != 0) return absl::OkStatus();
  const double others = transport.ranks() - 1;
  const double gb_s = others * static_cast<double>(kLargeBytes - kSmallBytes) /
                      std::max(large_ns - small_ns, 0.1 * large_ns);
  AddRanks(std::max(0.0, small_ns - others * static_cast<double>(kSmallBytes) / gb_s), gb_s,
           machine);
  return absl::OkStatus();
}

void AddRanks(double step_ns, double gb_s, MachineDescription* machine) {
  machine->targets.push_back({.target = Target::kRanks, .step_ns = step_ns});
  const KernelRate any = {.target = Target::kRanks, .gb_s = gb_s, .cached_gb_s = gb_s};
  KernelRate reduce = any;
  reduce.op = "all_reduce";
  reduce.fixed_ns = step_ns;  // it takes two exchanges
  machine->kernels.push_back(any);
  machine->kernels.push_back(reduce);
}

}  // namespace infer
