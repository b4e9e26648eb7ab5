// SPDX-License-Identifier: Apache-2.0
//
// Compares two Programs of one model: their graphs, placements, regimes and memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"
#include "tools/report/layer_groups.h"

namespace infer {

// Strongest last.
enum class NodeChange : uint8_t { kNone, kRule, kKernel, kMoved, kRemoved, kAdded };
std::string_view Name(NodeChange change);  // "none", "rule", "kernel", "moved", ...

// The same node on both sides, in an interval of T.
struct NodePair {
  NodeChange change = NodeChange::kNone;
  const NodeView* a = nullptr;  // nullptr if the side has no such node
  const NodeView* b = nullptr;
};

// One call as both sides would serve it, each estimated for its own machine.
struct CallAt {
  SymbolValues at;
  double a_ns = 0;  // EstimateCall; 0 if the Program has no machine description
  double b_ns = 0;
};

// A range of T that each side serves with one regime.
struct DiffInterval {
  Range tokens;
  int32_t a = 0;  // positions of the regimes
  int32_t b = 0;
  CallAt least;  // least T and an empty cache
  CallAt most;   // largest call that both sides accept
};

// A node, or the same node of several layers, that changed in some interval. A node that moved in
// one interval and is missing in another has two rows.
struct DiffRow {
  NodeGroup group;
  std::vector<NodePair> pairs = {};  // by interval; empty where it did not change this way
  NodeChange change = NodeChange::kNone;

  int64_t nodes() const {
    return group.layers.empty() ? 1 : static_cast<int64_t>(group.layers.size());
  }
};

struct MemoryChange {
  std::string what;  // "arena", "kv at full context", "weights (gguf)"
  uint64_t a_bytes = 0;
  uint64_t b_bytes = 0;
};

// Points into the Programs, which must outlive it. Movable, not copyable.
struct ProgramDiff {
  struct Side {
    std::string name;  // file name
    const Program* program = nullptr;
    std::vector<RegimeView> regimes;
  };
  ProgramDiff() = default;
  ProgramDiff(ProgramDiff&&) = default;
  ProgramDiff& operator=(ProgramDiff&&) = default;

  Side a, b;
  std::vector<DiffInterval> intervals;  // ascending
  std::vector<DiffRow> rows;            // in program order
  std::vector<MemoryChange> memory;     // including equal ones

  int64_t Count(NodeChange change) const;  // nodes with this change in some interval
  bool graph_differs() const;
  bool placement_differs() const;
  bool memory_differs() const;
};

// Returns bad input if the Programs are of different models.
absl::StatusOr<ProgramDiff> DiffPrograms(std::string name_a, const Program& a, std::string name_b,
                                         const Program& b, const KernelRegistry& registry);

std::string ToText(const ProgramDiff& diff);
std::string ToJson(const ProgramDiff& diff);

}  // namespace infer
