// SPDX-License-Identifier: Apache-2.0
#include "passes/estimate_halves.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "ir/graph/halves.h"
#include "ir/graph/plan.h"

namespace infer {
namespace {

// One half, cut where it sends: what its threads compute before each exchange.
struct Half {
  struct Part {
    double compute_ns = 0;
    ExchangeEstimate exchange;  // zero after the last part
  };
  std::vector<Part> parts;
  std::array<double, 3> node_ns = {};  // as in CallEstimate
};

std::array<SymbolValues, 2> HalvesOf(const SymbolValues& at) {
  std::array<SymbolValues, 2> halves = {at, at};
  const int64_t first = at.t / 2, second = at.t - first;
  halves[0].t = first;
  halves[1].t = second;
  halves[0].r = 1;
  if (at.sequences == 1) {
    halves[0].s = std::max<int64_t>(1, at.s - second);
  } else {
    for (SymbolValues& half : halves) {
      half.sequences = std::max<int64_t>(1, at.sequences / 2);
      half.s = std::max<int64_t>(1, at.s / 2);
    }
  }
  return halves;
}

Half EstimateHalf(const Graph& graph, const MachineDescription& machine, const SymbolValues& at,
                  size_t segments) {
  Half half;
  half.parts.emplace_back();
  const SymbolicCount call_bytes = CallBytes(graph);
  const std::vector<Node*> nodes = graph.nodes();
  for (size_t i = 0; i < segments; ++i) {
    for (const Step& step : graph.plan()->segments[i].steps) {
      if (step.copy) continue;
      const Node& node = *nodes[static_cast<size_t>(step.node)];
      const Estimate estimate =
          EstimateNode(node, node.placement()->target, call_bytes, machine, at);
      half.node_ns[static_cast<size_t>(estimate.bound())] += estimate.ns();
      if (node.op().traits.collective) {
        half.parts.back().exchange = EstimateExchange(node, machine, at);
        half.parts.emplace_back();
      } else {
        half.parts.back().compute_ns += estimate.ns();
      }
    }
  }
  return half;
}

// When the last half has finished. All threads write and read messages; another one sends them,
// and delays what the other half computes meanwhile.
double FinishNs(const std::array<Half, 2>& halves) {
  double computing = 0, sending = 0;  // until then
  std::array<double, 2> arrived = {};
  const size_t parts = std::max(halves[0].parts.size(), halves[1].parts.size());
  for (size_t part = 0; part < parts; ++part) {
    for (size_t i = 0; i < 2; ++i) {
      if (part >= halves[i].parts.size()) continue;
      const auto& [compute_ns, exchange] = halves[i].parts[part];
      computing = std::max(computing, arrived[i]) + compute_ns + exchange.local_ns;
      sending = std::max(sending, computing) + exchange.fixed_ns + exchange.bytes_ns;
      arrived[i] = sending;
      computing += exchange.beside_ns;
    }
  }
  return std::max({computing, arrived[0], arrived[1]});
}

}  // namespace

CallEstimate EstimateHalves(const Graph& graph, const MachineDescription& machine,
                            const SymbolValues& at) {
  const std::array<SymbolValues, 2> symbols = HalvesOf(at);
  const std::array<Half, 2> halves = {
      EstimateHalf(graph, machine, symbols[0], FirstSegmentForRows(graph)),
      EstimateHalf(graph, machine, symbols[1], graph.plan()->segments.size())};
  CallEstimate call;
  double nodes_ns = 0;
  for (size_t bound = 0; bound < call.node_ns.size(); ++bound) {
    call.node_ns[bound] = halves[0].node_ns[bound] + halves[1].node_ns[bound];
    nodes_ns += call.node_ns[bound];
  }
  // Both wake threads; they are one call, announced once.
  const TargetCost* ranks = machine.FindCost(Target::kRanks);
  call.overhead_ns = 2 * CallOverheadNs(graph, machine, at) - machine.call_ns -
                     (ranks == nullptr ? 0 : ranks->step_ns);
  call.hidden_ns = nodes_ns - FinishNs(halves);
  return call;
}

}  // namespace infer
