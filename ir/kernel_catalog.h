// SPDX-License-Identifier: Apache-2.0
//
// What passes may ask about the machine: which kernel would run this node on that target, or why
// none. The runtime's registry implements it; pass tests use a fake.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/placement.h"
#include "ir/shape.h"

namespace infer {

// How a kernel's work can be cut. The units of a domain depend on shapes and lengths only.
enum class PartitionDomain : uint8_t { kNone, kRows, kColumns, kKvHeads, kTiles };

struct KernelFacts {
  std::string name;
  int64_t min_rows = 1;
  int64_t max_rows = std::numeric_limits<int64_t>::max();
  PartitionDomain domain = PartitionDomain::kNone;
  std::string weight_layout = "gguf";  // of the node's weights
  uint64_t workspace_bytes = 0;        // upper bound over the regime
};

struct KernelAnswer {
  std::optional<KernelFacts> kernel;
  std::string reason;  // why none, if none
};

class KernelCatalog {
 public:
  virtual ~KernelCatalog() = default;
  // `node` may be anywhere in a graph; `symbols` are the ranges it must run for.
  virtual KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const = 0;
};

}  // namespace infer
