// SPDX-License-Identifier: Apache-2.0
//
// What passes may ask about the machine: which kernel would run a node on a target, or why none
// would. The runtime's registry implements it; pass tests use a fake.
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
  std::string reason;  // why there is none; empty if there is one
};

// The numbers of rows of the first result that a kernel accepts.
struct RowLimits {
  std::string kernel;
  int64_t min_rows = 1;
  int64_t max_rows = std::numeric_limits<int64_t>::max();
};

class KernelCatalog {
 public:
  virtual ~KernelCatalog() = default;
  // Returns the kernel for `node`, which may be anywhere in a graph. `symbols` are the ranges it
  // must support.
  virtual KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const = 0;
  // Returns all kernels for it, the one that Find returns first.
  virtual std::vector<KernelFacts> FindAll(const Node& node, Target target,
                                           const SymbolRanges& symbols) const {
    KernelAnswer answer = Find(node, target, symbols);
    return answer.kernel ? std::vector{*std::move(answer.kernel)} : std::vector<KernelFacts>();
  }
  // Returns the row limits of every kernel that would run `node` on `target` if the number of rows
  // fitted: at these limits the answer of Find can change.
  virtual std::vector<RowLimits> LimitsOf(const Node& node, Target target) const = 0;
  // Returns why nothing runs on `target`; empty if something does.
  virtual std::string WhyUnavailable(Target) const { return {}; }
  // Returns the number of rows from which `target` is worth using even though nobody asked for it;
  // 0: never.
  virtual int64_t AutomaticRows(Target) const { return 0; }
  // Returns the device in whose memory steps on `device` work: its own, or the cpu if both share
  // one memory.
  virtual Device SpaceOf(Device device) const { return device; }
  // Returns why this many bytes of weights, activations and cache are too many for the device of
  // `target`; empty if they are not.
  virtual std::string WhyTooLarge(Target, uint64_t) const { return {}; }
  // Returns a word for what the answers about a node depend on besides its types, shapes and
  // attributes; empty: nothing.
  virtual std::string_view KindOf(const Node&) const { return {}; }
  // Returns the same catalog limited to the kernels that a policy's choice of activations allows.
  virtual const KernelCatalog& For(Policy::Activations) const { return *this; }
};

// Returns the target of the machine's GPU; unset if it has none.
inline std::optional<Target> GpuOf(const KernelCatalog& catalog) {
  for (Target target : kUserTargets) {
    if (RecordOf(DeviceOf(target)).is_gpu && catalog.WhyUnavailable(target).empty()) return target;
  }
  return std::nullopt;
}

}  // namespace infer
