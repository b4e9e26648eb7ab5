// SPDX-License-Identifier: Apache-2.0
//
// Finds the sizes from which one target beats the next simpler one; a tuned policy is made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/bench/calibrate/kernel_timer.h"

namespace infer {

// Times of all targets at one size.
struct CrossoverPoint {
  std::string shape;
  int64_t size = 0;  // in the unit of the crossover
  std::optional<double> scalar_ns = {};
  std::optional<double> simd_ns = {};
  std::optional<double> parallel_ns = {};
  // Set if the op was timed between products on all threads: by how much such times differ from
  // round to round. One thread must beat all threads by more than that.
  std::optional<double> among_spread_ns = {};
};

struct Crossover {
  enum class From : uint8_t { kAlways, kSize, kNever };
  std::string op;
  std::string unit;                    // field of a rule: "flops" or "elements"
  std::vector<CrossoverPoint> points;  // ascending
  From simd = From::kNever;            // simd beats scalar
  int64_t simd_size = 0;               // for kSize
  From parallel = From::kNever;        // parallel beats simd
  int64_t parallel_size = 0;
};

absl::StatusOr<std::vector<Crossover>> FindCrossovers(KernelTimer& timer, int64_t threads);

// Derives the conclusions from the points.
void Conclude(Crossover* crossover);

}  // namespace infer
