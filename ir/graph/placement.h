// SPDX-License-Identifier: Apache-2.0
//
// Where a node runs and why: plain data that passes write, the runtime reads and dumps show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/cost.h"
#include "ir/graph/partition.h"
#include "ir/graph/target.h"

namespace infer {

// One predicate of the deciding rule, with the values it had at both ends of the regime.
struct Term {
  std::string field;  // "rows", "weight_bytes", ...
  std::string cmp;    // ">=" or "<="
  double threshold = 0;
  double lo = 0;
  double hi = 0;
  bool operator==(const Term&) const = default;
};

// Why another target was not taken.
struct Rejected {
  enum class Code : uint8_t { kNotInRule, kNoKernel, kLowerInRule, kUnavailable, kCostsMore };
  Target target = Target::kScalar;
  Code code = Code::kNotInRule;
  std::string text;
  bool operator==(const Rejected&) const = default;
};
std::string_view Name(Rejected::Code code);
std::optional<Rejected::Code> FindRejectedCode(std::string_view name);

// Who decided a placement.
enum class PlacementSource : uint8_t { kPolicy, kOverride, kSmooth, kLegalize };
std::string_view Name(PlacementSource source);
std::optional<PlacementSource> FindPlacementSource(std::string_view name);

// What the passes after placement and the loader need to know about a node's kernel. Byte counts
// are upper bounds over the regime.
struct KernelRecord {
  Partition partition;
  // One entry per input, "" for inputs that are not weights; empty if no input is a weight.
  std::vector<std::string> weight_layouts;
  uint64_t workspace_bytes = 0;  // shared by all threads
  uint64_t scratch_bytes = 0;    // per thread
  // How it rounds and in which order it adds: kernels of an op with the same class give a row the
  // same bits, whatever else is in the call. Empty: the bits may depend on that.
  std::string numerics;
  // Where the class is empty: the bits of a row depend only on whether its sequence has at least
  // this many tokens in the call. 0: they may depend on anything.
  int64_t numerics_from = 0;
  bool operator==(const KernelRecord&) const = default;
};

// 30 years. Small enough for reports to round an estimate to 64 bits.
inline constexpr double kMostEstimateNs = 1e18;

struct Placement {
  Target target = Target::kScalar;
  std::string kernel;  // family name: "linear_q8_0_scalar"
  KernelRecord kernel_record;
  std::string rule;  // name of the policy's rule
  PlacementSource source = PlacementSource::kPolicy;
  std::vector<Term> terms;
  std::vector<Rejected> rejected;  // one for each target not taken
  Cost cost;
  double estimate_ns_min = 0;  // at the lower ends of the regime's ranges
  double estimate_ns_max = 0;
  bool operator==(const Placement&) const = default;
};

}  // namespace infer
