// SPDX-License-Identifier: Apache-2.0
//
// From which size on a target beats the one before it: what a tuned policy is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/bench/calibrate/kernel_timer.h"

namespace infer {

// One size at which all targets were timed.
struct CrossoverPoint {
  std::string shape;
  int64_t size = 0;  // in the unit of the crossover
  std::optional<double> scalar_ns = {};
  std::optional<double> simd_ns = {};
  std::optional<double> parallel_ns = {};
  // Timed between products on all threads, which differ by so much from round to round: one thread
  // must beat all of them by more.
  std::optional<double> among_spread_ns = {};
};

struct Crossover {
  enum class From : uint8_t { kAlways, kSize, kNever };
  std::string op;
  std::string unit;                    // field of a rule: "flops" or "elements"
  std::vector<CrossoverPoint> points;  // ascending
  From simd = From::kNever;            // simd beats scalar
  int64_t simd_size = 0;               // if kSize
  From parallel = From::kNever;        // parallel beats simd
  int64_t parallel_size = 0;
};

absl::StatusOr<std::vector<Crossover>> FindCrossovers(KernelTimer& timer, int64_t threads);

// Fills the conclusions from the points.
void Conclude(Crossover* crossover);

}  // namespace infer
