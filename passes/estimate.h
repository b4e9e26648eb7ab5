// SPDX-License-Identifier: Apache-2.0
//
// Estimates how long a node will take on a target of a machine:
//
//   fixed cost + max(bytes / GB/s, operations / GOP/s)
//
// A collective takes the sum of what the network needs for its bytes and what this rank needs to
// write and read its messages.
//
// There are two kinds of bytes. Activations were written recently and lie in the cache. Weights and
// cache entries come from memory, unless everything that a call reads of them fits in the
// last-level cache: then they are still there from the call before.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ir/graph/graph.h"
#include "ir/graph/shape.h"
#include "ir/policy/machine.h"

namespace infer {

enum class Bound : uint8_t { kFixedCost, kMemory, kArithmetic };
std::string_view Name(Bound bound);  // "fixed cost", "memory", "arithmetic"

struct Estimate {
  double fixed_ns = 0;
  double memory_ns = 0;      // reading and writing, if nothing else took time
  double arithmetic_ns = 0;  // computing, if all data were at hand

  double ns() const;
  // Which component dominates: fixed cost, memory or arithmetic.
  Bound bound() const;
};

// "12.3 us, bound by memory (fixed cost 0.1, memory 12.2, arithmetic 3.4)"
std::string ToText(const Estimate& estimate);

// Returns the bytes of all weights and cache entries that a call reads.
SymbolicCount CallBytes(const Graph& graph);

// Estimates a node on a target. `call_bytes` is that of its graph. Zero for a view, and if the
// machine description does not cover the target.
Estimate EstimateNode(const Node& node, Target target, const SymbolicCount& call_bytes,
                      const MachineDescription& machine, const SymbolValues& at);

// The estimate of a call of a placed graph, as shown in every table and report.
struct CallEstimate {
  std::array<double, 3> node_ns = {};  // by what bounds the nodes
  // The call itself, waking the threads or devices that run its segments, and values that cross
  // between devices.
  double overhead_ns = 0;

  double ns() const { return node_ns[0] + node_ns[1] + node_ns[2] + overhead_ns; }
};
CallEstimate EstimateCall(const Graph& graph, const MachineDescription& machine,
                          const SymbolValues& at);

// CallEstimate::overhead_ns.
double CallOverheadNs(const Graph& graph, const MachineDescription& machine,
                      const SymbolValues& at);

// What a collective takes: the time on the network, regardless of its size and for its bytes, and
// that in which this rank writes and reads its messages with all threads.
struct ExchangeEstimate {
  double fixed_ns = 0;
  double bytes_ns = 0;
  double local_ns = 0;
};
ExchangeEstimate EstimateExchange(const Node& node, const MachineDescription& machine,
                                  const SymbolValues& at);

// Return the lower and upper ends of a graph's symbols that calls can have: a cache holds at least
// the call's own tokens.
SymbolValues LowerEnd(const SymbolRanges& symbols);
SymbolValues UpperEnd(const SymbolRanges& symbols);

// Writes the estimates of a placed graph, in whole nanoseconds, so that they do not depend on how a
// compiler rounds. Returns true if one changed.
bool FillEstimates(Graph& graph, const MachineDescription& machine);

}  // namespace infer
