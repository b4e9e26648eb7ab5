// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/read_bandwidth.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "ir/base/status_macros.h"
#include "runtime/thread_team.h"
#include "tools/api/machine_memory.h"
#include "tools/bench/cache_size.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kLeastBytes = uint64_t{256} << 20;
constexpr uint64_t kCaches = 8;
// Of each way to prefetch. A pass over 256 MiB takes 10 to 20 ms.
constexpr int kPasses = 6;
constexpr uint64_t kStep = 256;  // enough parallel sums to hide the additions

uint64_t BytesToRead() {
  const MachineMemory memory = ReadMachineMemory();
  uint64_t free_bytes = memory.available_bytes.value_or(4 * kLeastBytes);
  if (memory.limit_bytes) free_bytes = std::min(free_bytes, *memory.limit_bytes);
  const uint64_t wanted = std::max(kLeastBytes, kCaches * LastLevelCacheBytes());
  return std::min(wanted, std::max(kLeastBytes, free_bytes / 4)) / kStep * kStep;
}

// Reads a range as one stream and asks for what comes kAhead bytes later: the CPU's own prefetcher
// stops at pages and is slower by up to a quarter.
template <uint64_t kAhead, int kLocality>
uint64_t SumOf(const std::byte* data, uint64_t bytes) {
  constexpr int kWords = kStep / sizeof(uint64_t);
  uint64_t sums[kWords] = {};
  for (uint64_t at = 0; at < bytes; at += kStep) {
    if constexpr (kAhead > 0) {
      for (uint64_t line = 0; line < kStep; line += 64) {
        __builtin_prefetch(data + at + kAhead + line, 0, kLocality);
      }
    }
    uint64_t words[kWords];
    std::memcpy(words, data + at, sizeof(words));
    for (int i = 0; i < kWords; ++i) sums[i] += words[i];
  }
  uint64_t sum = 0;
  for (uint64_t part : sums) sum += part;
  return sum;
}

// As products do it: into the second-level cache, or far ahead into the third.
constexpr uint64_t (*kWays[])(const std::byte*, uint64_t) = {SumOf<0, 0>, SumOf<8192, 2>,
                                                             SumOf<8192, 1>, SumOf<16384, 1>};

// What the threads of a team do, each with its part of the memory.
struct SharedWork {
  std::byte* data;
  uint64_t part_bytes;
  uint64_t (*read)(const std::byte*, uint64_t);  // nullptr: writes

  static void Part(void* context, int ith) noexcept {
    const SharedWork& work = *static_cast<SharedWork*>(context);
    std::byte* part = work.data + static_cast<uint64_t>(ith) * work.part_bytes;
    if (work.read == nullptr) {
      std::memset(part, 1, work.part_bytes);
    } else {
      [[maybe_unused]] volatile uint64_t sink = work.read(part, work.part_bytes);
    }
  }
};

absl::StatusOr<std::unique_ptr<ThreadTeam>> TeamOf(int threads) {
  ThreadTeamOptions options;
  options.threads = threads;
  options.adapts = false;
  return ThreadTeam::Create(options);
}

uint64_t PartBytes(uint64_t bytes, int threads) {
  return bytes / static_cast<uint64_t>(threads) / kStep * kStep;
}

}  // namespace

absl::StatusOr<ReadBandwidth> ReadBandwidth::Create() {
  const uint64_t bytes = BytesToRead();
  ASSIGN_OR_RETURN(ZeroedMemory memory, ZeroedMemory::Create(bytes, ZeroedMemory::Pages::kHuge));
  return ReadBandwidth(std::move(memory), bytes);
}

absl::StatusOr<double> ReadBandwidth::Measure(int threads, const std::atomic<bool>* stop) const {
  ASSIGN_OR_RETURN(std::unique_ptr<ThreadTeam> team, TeamOf(threads));
  SharedWork work{memory_.data(), PartBytes(bytes_, threads), nullptr};
  // Unwritten pages all map to the same page of zeros, which would stay in the cache.
  RETURN_IF_ERROR(team->Run(SharedWork::Part, &work));
  double best_s = 1e9;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const auto way : kWays) {
      if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
        return absl::CancelledError("stopped");
      }
      work.read = way;
      const Clock::time_point start = Clock::now();
      RETURN_IF_ERROR(team->Run(SharedWork::Part, &work));
      best_s = std::min(best_s, std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  return static_cast<double>(work.part_bytes) * threads / best_s / 1e9;
}

}  // namespace infer
