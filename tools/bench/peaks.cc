// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/peaks.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "runtime/thread_team.h"
#include "runtime/zeroed_memory.h"
#include "tools/bench/instruction_loops.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

// Far more than any last-level cache holds, so that nearly all of it comes from memory.
constexpr uint64_t kReadBytes = uint64_t{256} << 20;
constexpr int kReadPasses = 8;
constexpr uint64_t kReadStep = 256;         // enough parallel sums to hide the additions
constexpr int64_t kRoundsPerTry = 200'000;  // 1 to 2 ms
constexpr int kTries = 20;

double SecondsOf(auto&& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Reads the whole range as one stream, as a product reads its weights.
uint64_t SumOf(const std::byte* data, uint64_t bytes) {
  constexpr int kWords = kReadStep / sizeof(uint64_t);
  uint64_t sums[kWords] = {};
  for (uint64_t at = 0; at < bytes; at += sizeof(sums)) {
    uint64_t words[kWords];
    std::memcpy(words, data + at, sizeof(words));
    for (int i = 0; i < kWords; ++i) sums[i] += words[i];
  }
  uint64_t sum = 0;
  for (uint64_t part : sums) sum += part;
  return sum;
}

absl::Status CheckStop(const std::atomic<bool>* stop) {
  if (stop == nullptr || !stop->load(std::memory_order_relaxed)) return absl::OkStatus();
  return absl::CancelledError("stopped");
}

absl::StatusOr<ZeroedMemory> MemoryToRead() {
  ASSIGN_OR_RETURN(ZeroedMemory memory,
                   ZeroedMemory::Create(kReadBytes, ZeroedMemory::Pages::kHuge));
  // Unwritten pages all map to the same page of zeros, which would stay in the cache.
  std::memset(memory.data(), 1, kReadBytes);
  return memory;
}

// Work of a team of threads that each read a share.
struct SharedRead {
  const std::byte* data;
  int threads;

  static void Part(void* context, int ith) noexcept {
    const SharedRead& read = *static_cast<SharedRead*>(context);
    const uint64_t bytes = kReadBytes / read.threads / kReadStep * kReadStep;
    [[maybe_unused]] volatile uint64_t sink = SumOf(read.data + ith * bytes, bytes);
  }
};

absl::StatusOr<double> MeasureRead(const ZeroedMemory& memory, int threads,
                                   const std::atomic<bool>* stop) {
  ThreadTeamOptions options;
  options.threads = threads;
  options.adapts = false;
  ASSIGN_OR_RETURN(std::unique_ptr<ThreadTeam> team, ThreadTeam::Create(options));
  SharedRead read{memory.data(), threads};
  double best_s = 1e9;
  for (int pass = 0; pass < kReadPasses; ++pass) {
    RETURN_IF_ERROR(CheckStop(stop));
    absl::Status status;
    best_s = std::min(best_s, SecondsOf([&] { status = team->Run(SharedRead::Part, &read); }));
    RETURN_IF_ERROR(status);
  }
  const uint64_t bytes = kReadBytes / threads / kReadStep * kReadStep * threads;
  return static_cast<double>(bytes) / best_s / 1e9;
}

double MeasureLoop(const InstructionLoop& loop) {
  double best_s = 1e9;
  for (int i = 0; i < kTries; ++i) {
    best_s = std::min(best_s, SecondsOf([&] { loop.run(kRoundsPerTry); }));
  }
  return loop.ops_per_round * static_cast<double>(kRoundsPerTry) / best_s / 1e9;
}

InstructionPeak::Kind KindFor(DType weight) {
  if (IsQuantized(weight)) return InstructionPeak::Kind::kInt8;
  if (weight == DType::kF32) return InstructionPeak::Kind::kF32;
  return InstructionPeak::Kind::kBf16;
}

}  // namespace

const InstructionPeak* Peaks::For(DType weight) const {
  const InstructionPeak* best = nullptr;
  const InstructionPeak* best_f32 = nullptr;
  for (const InstructionPeak& peak : instructions) {
    if (peak.kind == KindFor(weight) && (best == nullptr || peak.gop_s > best->gop_s)) best = &peak;
    if (peak.kind == InstructionPeak::Kind::kF32 &&
        (best_f32 == nullptr || peak.gop_s > best_f32->gop_s)) {
      best_f32 = &peak;
    }
  }
  return best == nullptr ? best_f32 : best;  // else the CPU widens to floats
}

double Peaks::ReadGbPerS(int64_t threads) const {
  if (threads == 1) return read_gb_s;
  const auto it = team_read_gb_s.find(threads);
  return it == team_read_gb_s.end() ? 0 : it->second;
}

absl::StatusOr<Peaks> MeasurePeaks(const std::atomic<bool>* stop,
                                   std::span<const int64_t> threads) {
  Peaks peaks;
  ASSIGN_OR_RETURN(const ZeroedMemory memory, MemoryToRead());
  ASSIGN_OR_RETURN(peaks.read_gb_s, MeasureRead(memory, 1, stop));
  for (int64_t count : threads) {
    if (count == 1) continue;
    ASSIGN_OR_RETURN(peaks.team_read_gb_s[count],
                     MeasureRead(memory, static_cast<int>(count), stop));
  }
  for (const InstructionLoop& loop : InstructionLoops()) {
    RETURN_IF_ERROR(CheckStop(stop));
    if (!loop.runs_here()) continue;
    peaks.instructions.push_back(
        {.name = loop.name, .kind = loop.kind, .gop_s = MeasureLoop(loop)});
  }
  return peaks;
}

std::string ToText(const Peaks& peaks) {
  std::string text = absl::StrFormat("read %.1f GB/s", peaks.read_gb_s);
  for (const auto& [threads, gb_s] : peaks.team_read_gb_s) {
    absl::StrAppendFormat(&text, ", on %d threads %.1f GB/s", threads, gb_s);
  }
  for (const InstructionPeak& peak : peaks.instructions) {
    absl::StrAppendFormat(&text, ", %s %.0f GOP/s", std::string(peak.name), peak.gop_s);
  }
  return text;
}

}  // namespace infer
