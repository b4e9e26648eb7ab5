// SPDX-License-Identifier: Apache-2.0
//
// What differs between two Programs of one model: their graphs, placements, regimes and memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"
#include "tools/api/report/layer_groups.h"

namespace infer {

// Strongest last.
enum class NodeChange : uint8_t { kNone, kRule, kKernel, kMoved, kRemoved, kAdded };
std::string_view Name(NodeChange change);  // "none", "rule", "kernel", "moved", ...

// A node on both sides, in an interval of T.
struct NodePair {
  NodeChange change = NodeChange::kNone;
  const NodeView* a = nullptr;  // nullptr: the side has no such node
  const NodeView* b = nullptr;
};

// One call as both sides would serve it, each estimated for its own machine.
struct CallAt {
  SymbolValues at;
  double a_ns = 0;  // EstimateCall; 0: the Program has no machine
  double b_ns = 0;
};

// Tokens that each side serves with one regime.
struct DiffInterval {
  Range tokens;
  int32_t a = 0;  // positions of the regimes
  int32_t b = 0;
  CallAt least;  // the least T and an empty cache
  CallAt most;   // the most that both sides take
};

// A node, or the same node of several layers, that changed in some interval. One that was moved in
// one interval and is gone in another makes two rows.
struct DiffRow {
  FoldGroup group;
  std::vector<NodePair> pairs = {};  // by interval; none where it did not change so
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

// Points into the Programs, which must outlive it. It can be moved, not copied.
struct ProgramDiff {
  struct Side {
    std::string name;  // of the file
    const Program* program = nullptr;
    std::vector<RegimeView> regimes;
  };
  ProgramDiff() = default;
  ProgramDiff(ProgramDiff&&) = default;
  ProgramDiff& operator=(ProgramDiff&&) = default;

  Side a, b;
  std::vector<DiffInterval> intervals;  // ascending
  std::vector<DiffRow> rows;            // in program order
  std::vector<MemoryChange> memory;     // equal ones too

  int64_t Count(NodeChange change) const;  // nodes that it happened to in some interval
  bool graph_differs() const;
  bool placement_differs() const;
  bool memory_differs() const;
};

// Bad input if the Programs are of different models.
absl::StatusOr<ProgramDiff> DiffPrograms(std::string name_a, const Program& a, std::string name_b,
                                         const Program& b, const KernelRegistry& registry);

std::string ToText(const ProgramDiff& diff);
std::string ToJson(const ProgramDiff& diff);

}  // namespace infer
