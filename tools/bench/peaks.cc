// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/peaks.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "tools/bench/instruction_loops.h"
#include "tools/bench/read_bandwidth.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kRoundsPerTry = 200'000;  // 1 to 2 ms
constexpr int kTries = 20;

double SecondsOf(auto&& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

absl::Status CheckStop(const std::atomic<bool>* stop) {
  if (stop == nullptr || !stop->load(std::memory_order_relaxed)) return absl::OkStatus();
  return absl::CancelledError("stopped");
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
  RETURN_IF_ERROR(CheckStop(stop));
  ASSIGN_OR_RETURN(const ReadBandwidth bandwidth, ReadBandwidth::Create());
  ASSIGN_OR_RETURN(peaks.read_gb_s, bandwidth.Measure(1, stop));
  for (int64_t count : threads) {
    if (count == 1) continue;
    ASSIGN_OR_RETURN(peaks.team_read_gb_s[count], bandwidth.Measure(static_cast<int>(count), stop));
  }
  for (const InstructionLoop& loop : InstructionLoops()) {
    RETURN_IF_ERROR(CheckStop(stop));
    if (!loop.runs_here()) continue;
    peaks.instructions.push_back(
        {.name = loop.name, .kind = loop.kind, .gop_s = MeasureLoop(loop)});
  }
  return peaks;
}

std::vector<int64_t> ThreadCountsUpTo(int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

std::string ShareOfPeak(double found, double peak) {
  return peak > 0 ? absl::StrFormat(" (%.0f%%)", 100 * found / peak) : "";
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
