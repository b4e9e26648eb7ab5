// SPDX-License-Identifier: Apache-2.0
//
// Presents a Program to reports: what runs in each regime, joined with its step, and the totals.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph/placement.h"
#include "ir/graph/plan_terms.h"
#include "ir/program/program.h"

namespace infer {

// A node that runs. Points into the Program, which must outlive it.
struct NodeView {
  const Node* node = nullptr;
  uint64_t id = 0;       // see NodeIds
  int32_t position = 0;  // in program order
  int32_t ordinal = 0;   // among the nodes with its scope and op
  int32_t step = -1;     // counted over all segments
  StepMode mode = StepMode::kSerial;
  bool barrier_after = false;

  const Placement& placement() const { return *node->placement(); }
};

struct RegimeTotals {
  std::array<int64_t, kNumTargets> nodes_on = {};  // by target
  int64_t boundaries = 0;                          // between devices
  int64_t copies = 0;                              // between memories
  double copied_bytes_min = 0;                     // at the lower ends of the regime
  double copied_bytes_max = 0;
  int64_t waits = 0;  // for queues of other devices
  int64_t serial_steps = 0;
  int64_t barriers = 0;
  uint64_t arena_bytes = 0;
  uint64_t arena_lower_bound_bytes = 0;
  // Estimate of a call (EstimateCall) at the lower and the upper ends; 0 if there is none. It
  // exceeds the sum over the nodes: waking threads and crossing to another device belong to no
  // node.
  double estimate_ns_min = 0;
  double estimate_ns_max = 0;
};

struct RegimeView {
  const Regime* regime = nullptr;
  std::vector<NodeView> nodes;  // in program order
  RegimeTotals totals;

  // Returns the name of a regime in all output: "T 1", "T 2..7". Calls of one length may be a
  // prompt or the decoding of several sequences, so no label says which.
  std::string label() const;
  Range tokens() const { return {regime->min_tokens, regime->max_tokens}; }
  const SymbolRanges& symbols() const { return regime->graph.symbols(); }
};

std::vector<RegimeView> ViewRegimes(const Program& program);

// Returns the position of the regime for a call of `tokens` tokens, or -1.
int RegimeOf(const Program& program, int64_t tokens);

std::string IdText(uint64_t id);  // 16 hex digits

// Returns the names of the model's files, comma-separated.
std::string ModelText(const ModelRef& model);

// Returns the results' types, with equal ones counted: "f32[T,768] x2".
std::string ResultsText(const Node& node);
// Returns the distinct types of the weights that a node reads: "q8_0", "f32 q8_0".
std::string WeightTypesText(const Node& node);

}  // namespace infer
