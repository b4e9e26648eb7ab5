// SPDX-License-Identifier: Apache-2.0
//
// Measures the peak rates of this machine, against which kernels are compared.
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
  std::map<int64_t, double> team_read_gb_s = {};  // of several threads, by their number
  std::vector<InstructionPeak> instructions;      // of one core; those that this CPU supports

  // Returns 0 if it was not measured for this number of threads.
  double ReadGbPerS(int64_t threads) const;

  // Returns the fastest instruction for weights of this type after rounding both sides, or nullptr
  // if nothing was measured.
  const InstructionPeak* For(DType weight) const;
};

// Takes one to three seconds. Returns kResourceExhausted if there is no memory to read, kCancelled
// if `stop` was set. `threads` are the numbers of threads that read together, in addition to one
// core, which is always measured.
absl::StatusOr<Peaks> MeasurePeaks(const std::atomic<bool>* stop,
                                   std::span<const int64_t> threads = {});

// Returns 1, 2, 4, ... and `most`: enough to see where more threads read no faster.
std::vector<int64_t> ThreadCountsUpTo(int64_t most);

// Returns " (87%)", or nothing if the peak was not measured.
std::string ShareOfPeak(double found, double peak);

// Returns "read 12.3 GB/s, smmla 456 GOP/s, ...".
std::string ToText(const Peaks& peaks);

}  // namespace infer
