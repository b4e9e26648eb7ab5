// SPDX-License-Identifier: Apache-2.0
//
// How fast a machine runs kernels, as data that estimates divide by; passes/estimate.h has the
// formulas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/dtype.h"
#include "ir/graph/placement.h"

namespace infer {

// The arithmetic rate at a given number of rows. A single row cannot share an unpacked weight with
// others; beyond some number, more rows no longer help.
struct RowRate {
  int64_t rows = 1;
  double gop_s = 0;
  // Per call, in addition to that of the kernel: where other numbers of rows take more launches.
  double fixed_ns = 0;
  bool operator==(const RowRate&) const = default;
};

// The speed of one kind of work on one target.
struct KernelRate {
  Target target = Target::kScalar;
  std::string op = {};  // `linear` stands for every product with a weight matrix; empty: any op
  // Element type of the weight or of the cache, or the form of a collective's message; empty: any.
  std::string type = {};
  double gb_s = 0;         // for weights and cache read from memory
  double cached_gb_s = 0;  // for those in the last-level cache, and for activations
  double fixed_ns = 0;     // per call, regardless of its size, in addition to the target's step_ns
  // Starting the dot product of two rows takes as long as this many of their elements.
  double start_elements = 0;
  // Ascending by rows; interpolated in between. Of a collective: the elements of its result that
  // are written into messages and read from them, which takes its time besides the network.
  std::vector<RowRate> rates = {};
  bool operator==(const KernelRate&) const = default;
};

struct TargetCost {
  Target target = Target::kScalar;
  double step_ns = 0;      // an empty step, including the barrier after it
  double wake_ns = 0;      // per segment: submitting it to the threads, or to the device
  double boundary_ns = 0;  // per value that crosses to or from the device, in addition to its bytes
  double copy_gb_s = 0;    // for such a value; 0: memory is shared and nothing is copied
  bool operator==(const TargetCost&) const = default;
};

struct MachineDescription {
  std::string name;
  bool calibrated = false;  // measured on a machine; otherwise made up to resemble many
  int64_t threads = 1;      // threads that share a step on parallel
  int64_t cache_bytes = 0;  // of the last-level cache that a process gets
  double call_ns = 0;       // per call, regardless of what it computes
  std::vector<TargetCost> targets;
  std::vector<KernelRate> kernels;
  bool operator==(const MachineDescription&) const = default;

  const TargetCost* FindCost(Target target) const;
  // Returns the entry for exactly this op and type, else the one for the op, for the type, or for
  // any; nullptr if the target has none of these.
  const KernelRate* FindRate(Target target, std::string_view op, std::string_view type) const;
};

// Returns the GOP/s at `rows`, given rates in ascending order; linear between two points on
// logarithmic axes. 0 if there are no rates.
double RateAt(const std::vector<RowRate>& rates, double rows);
// Returns RowRate::fixed_ns at `rows`; linear between two points on the same axis of rows.
double FixedAt(const std::vector<RowRate>& rates, double rows);

}  // namespace infer
