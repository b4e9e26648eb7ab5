// SPDX-License-Identifier: Apache-2.0
//
// What this machine can do at most, measured: the numbers that a kernel is held against.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/dtype.h"

namespace infer {

struct InstructionPeak {
  enum class Kind { kF32, kF16, kBf16, kInt8 };
  std::string_view name;  // "smmla"
  Kind kind = Kind::kF32;
  double gop_s = 0;  // a multiplication and an addition are two
};

struct Peaks {
  double read_gb_s = 0;                           // of one core
  std::map<int64_t, double> team_read_gb_s = {};  // of several threads together, by their number
  std::vector<InstructionPeak> instructions;      // of one core; those that this CPU has

  // 0 if it was not measured for so many.
  double ReadGbPerS(int64_t threads) const;

  // The fastest instruction that takes weights of this type after rounding both sides; nullptr if
  // nothing was measured.
  const InstructionPeak* For(DType weight) const;
};

// About a second; kResourceExhausted if there is no memory to read, kCancelled if `stop` was set.
// `threads`: how many read together, beside the one core that is always measured.
absl::StatusOr<Peaks> MeasurePeaks(const std::atomic<bool>* stop,
                                   std::span<const int64_t> threads = {});

// "read 12.3 GB/s, smmla 456 GOP/s, ..."
std::string ToText(const Peaks& peaks);

}  // namespace infer
