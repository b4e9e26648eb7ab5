// SPDX-License-Identifier: Apache-2.0
//
// What passes may ask about the machine: which kernel would run this node on that target, or why
// none. The runtime's registry implements it; pass tests use a fake.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/placement.h"
#include "ir/graph/shape.h"
#include "ir/policy/policy.h"

namespace infer {

struct KernelFacts {
  std::string name;
  int64_t min_rows = 1;
  int64_t max_rows = std::numeric_limits<int64_t>::max();
  KernelRecord record = {};
};

struct KernelAnswer {
  std::optional<KernelFacts> kernel;
  std::string reason;  // why none, if none
};

// The rows of the first result that a kernel takes.
struct RowLimits {
  std::string kernel;
  int64_t min_rows = 1;
  int64_t max_rows = std::numeric_limits<int64_t>::max();
};

class KernelCatalog {
 public:
  virtual ~KernelCatalog() = default;
  // `node` may be anywhere in a graph; `symbols` are the ranges it must run for.
  virtual KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const = 0;
  // Of every kernel that would run `node` on `target` if it had the right number of rows: where
  // these limits lie, the answer of Find can change.
  virtual std::vector<RowLimits> LimitsOf(const Node& node, Target target) const = 0;
  // Why nothing at all runs on `target`; empty if something does.
  virtual std::string WhyUnavailable(Target) const { return {}; }
  // From so many rows on `target` is worth taking although nobody asked for it; 0: never.
  virtual int64_t AutomaticRows(Target) const { return 0; }
  // Whose memory steps on `device` work in: its own, or the cpu's if both share one memory.
  virtual Device SpaceOf(Device device) const { return device; }
  // Why so many bytes of weights, activations and cache are too many for the device of `target`;
  // empty if they are not.
  virtual std::string WhyTooLarge(Target, uint64_t) const { return {}; }
  // What the answers about a node depend on besides its types, shapes and attributes, in a word;
  // empty: nothing.
  virtual std::string_view KindOf(const Node&) const { return {}; }
  // The same machine, limited to the kernels that a policy's wish about activations allows.
  virtual const KernelCatalog& For(Policy::Activations) const { return *this; }
};

// The target of the machine's GPU; unset if it has none.
inline std::optional<Target> GpuOf(const KernelCatalog& catalog) {
  for (Target target : kAllTargets) {
    if (RecordOf(DeviceOf(target)).is_gpu && catalog.WhyUnavailable(target).empty()) return target;
  }
  return std::nullopt;
}

}  // namespace infer
