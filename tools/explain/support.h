// SPDX-License-Identifier: Apache-2.0
//
// Reports which targets of this machine run the ops of a model, by which kernels, or why not.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/program/kernel_catalog.h"
#include "ir/program/program.h"

namespace infer {

struct SupportCell {
  // Worst first: a cell is as good as its worst node.
  enum class How : uint8_t { kNo, kSomeRows, kInParts, kWhole };
  How how = How::kWhole;
  std::vector<std::string> kernels;  // unique; kernels of the parts if it runs in parts
  std::vector<std::string> reasons;  // why not, or what limits it; unique
};

// Returns what happens to `node` if `target` is the only one allowed, for all of `symbols`.
SupportCell SupportOf(const Node& node, Target target, const SymbolRanges& symbols,
                      const KernelCatalog& catalog);

struct SupportRow {
  std::string op;
  std::string types;  // of weights and caches: "q8_0"
  int64_t nodes = 0;  // after fusion, before the policy decomposes any; 0 for ops that occur as
                      // parts only
  std::array<SupportCell, kNumTargets> cells;  // by target
};

struct SupportMatrix {
  std::string model;
  std::vector<SupportRow> rows;  // by op and types
};

// `fused` is the graph that placement starts from. Ops that occur only in the Program's regimes, as
// parts of its composite ops, are rows too.
SupportMatrix MakeSupportMatrix(const Graph& fused, const Program& program,
                                const KernelCatalog& catalog);

std::string ToText(const SupportMatrix& matrix);
std::string ToJson(const SupportMatrix& matrix);

std::string_view Name(SupportCell::How how);  // "no", "some rows", "in parts", "whole"

}  // namespace infer
