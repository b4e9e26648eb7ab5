// SPDX-License-Identifier: Apache-2.0
//
// How fast a machine runs kernels, as data: what estimates divide by. passes/estimate.h says how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/dtype.h"
#include "ir/graph/placement.h"

namespace infer {

// What arithmetic reaches with so many rows. One row shares each unpacked weight with nobody; from
// some number on more rows change nothing.
struct RowRate {
  int64_t rows = 1;
  double gop_s = 0;
  bool operator==(const RowRate&) const = default;
};

// One kind of work on one target.
struct KernelRate {
  Target target = Target::kScalar;
  std::string op = {};     // `linear` stands for every product with a weight matrix; empty: any op
  std::string type = {};   // of the weight or of the cache; empty: any
  double gb_s = 0;         // of weights and cache that come from memory
  double cached_gb_s = 0;  // of those that the last-level cache holds, and of activations
  double fixed_ns = 0;     // of a call, whatever its size, beside the target's step
  // Starting the product of two rows takes as long as so many of their elements.
  double start_elements = 0;
  std::vector<RowRate> rates = {};  // ascending; between two of them interpolated
  bool operator==(const KernelRate&) const = default;
};

struct TargetCost {
  Target target = Target::kScalar;
  double step_ns = 0;      // of a step that does nothing, with the meeting of the threads after it
  double wake_ns = 0;      // of a segment: handing it to the threads, or to the device
  double boundary_ns = 0;  // of one value that crosses to or from the device, beside its bytes
  double copy_gb_s = 0;    // of that value; 0: memory is shared and nothing is copied
  bool operator==(const TargetCost&) const = default;
};

struct MachineDescription {
  std::string name;
  bool calibrated = false;  // measured on a machine, else made up to be like many
  int64_t threads = 1;      // that share a step on parallel
  int64_t cache_bytes = 0;  // of the last level
  double call_ns = 0;       // of a call, whatever it computes
  std::vector<TargetCost> targets;
  std::vector<KernelRate> kernels;
  bool operator==(const MachineDescription&) const = default;

  const TargetCost* FindCost(Target target) const;
  // The entry for exactly this op and type, or else for the op, for the type, for any; nullptr if
  // nothing is known of the target.
  const KernelRate* FindRate(Target target, std::string_view op, std::string_view type) const;
};

// GOP/s at so many rows, of rates in ascending order; straight between two points on logarithmic
// axes. 0 if there are none.
double RateAt(const std::vector<RowRate>& rates, double rows);

}  // namespace infer
