// SPDX-License-Identifier: Apache-2.0
//
// Lets each rank compute a share of the rows of a value that every rank would compute whole, where
// that saves time:
//
//   %s, %n = add_rms_norm(%x, %y, %g) : f32[T,64], f32[T,64]
// =>                                                                                    (4 ranks)
//   %0, %1 = add_rms_norm(%x, %y, %g) : f32[T,64], f32[T,64]
//   %s, %n = all_rows(%0, %1) {ranks = 4, reason = "..."} : f32[T,64], f32[T,64]
//
// A row has the same bits, whoever computes it. Nobody sends rows: ranks without common memory
// compute all of them, and all_rows then sends nothing. So rows are shared out only where the
// described network, if there is one, could bring them faster than they are computed; a slower one
// means that the ranks run on different hosts.
//
// The values take over the names and origins, as those of other collectives do.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/decision.h"
#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/graph/common_memory.h"
#include "ir/ops/ops.h"
#include "passes/estimate.h"
#include "passes/passes.h"
#include "passes/place_node.h"

namespace infer {
namespace {

// A gather of a token's columns, which is a meeting and nothing else, takes four processes 1.5 to
// 2.5 us (BENCHMARKS.md, "Ranks").
constexpr double kMeetingNs = 2500;

// Values that are not the same on all ranks: what is computed from parts of weights, up to the
// collective that joins it.
std::set<const Node*> DividedNodes(const Graph& graph) {
  std::set<const Node*> divided;
  for (const Node* node : graph.nodes()) {
    const OpTraits& traits = node->op().traits;
    const bool is_part =
        traits.state || (traits.weight && SliceOf(*node).parts != 0) ||
        (!traits.collective && std::ranges::any_of(node->inputs(), [&](const Value& input) {
          return divided.contains(input.node);
        }));
    if (is_part) divided.insert(node);
  }
  return divided;
}

// The mean of the estimates for the fewest and the most tokens: that of a call in the middle.
Estimate MeanOf(const Graph& graph, const Node& node, Target target,
                const MachineDescription& machine) {
  const SymbolicCount no_weights;
  auto at = [&](const SymbolValues& symbols) {
    return EstimateNode(node, target, no_weights, machine, symbols);
  };
  const Estimate least = at(LowerEnd(graph.symbols())), most = at(UpperEnd(graph.symbols()));
  return {.fixed_ns = (least.fixed_ns + most.fixed_ns) / 2,
          .memory_ns = (least.memory_ns + most.memory_ns) / 2,
          .arithmetic_ns = (least.arithmetic_ns + most.arithmetic_ns) / 2};
}

class ShareRows final : public Pass {
 public:
  std::string_view name() const override { return "share-rows"; }
  Stage needs() const override { return Stage::kPlaced; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    if (context.machine == nullptr || !IsDivided(graph)) return false;
    const std::set<const Node*> divided = DividedNodes(graph);
    const std::vector<Node*> nodes = graph.nodes();
    bool changed = false;
    for (size_t i = 0; i < nodes.size(); ++i) {
      Node* node = nodes[i];
      if (divided.contains(node) || !CanShareRows(*node) || RowSharerOf(*node) != nullptr) continue;
      if (DeviceOf(node->placement()->target) != Device::kCpu) continue;
      GraphBuilder builder =
          i + 1 < nodes.size() ? GraphBuilder::Before(&graph, nodes[i + 1]) : GraphBuilder(&graph);
      ASSIGN_OR_RETURN(const Decision decision, Share(builder, node, context));
      changed |= decision.accepted();
      if (!decision.accepted()) context.Explain(*node, decision.reason());
    }
    if (changed) FillEstimates(graph, *context.machine);
    return changed;
  }

 private:
  // Ranks that exchange nothing else would have nothing in common but these rows.
  static bool IsDivided(const Graph& graph) {
    return std::ranges::any_of(graph.nodes(),
                               [](const Node* node) { return node->op().traits.collective; });
  }

  // Inserts the collective to estimate it, and removes it again if it does not pay.
  static absl::StatusOr<Decision> Share(GraphBuilder& builder, Node* node,
                                        const PassContext& context) {
    Graph& graph = builder.graph();
    const int64_t ranks = context.policy->shard.ranks;
    if (node->result().type.dim(0).At(LowerEnd(graph.symbols())) < ranks) {
      return Decision::Reject("it may have fewer rows than there are ranks");
    }
    const Estimate alone = MeanOf(graph, *node, node->placement()->target, *context.machine);
    std::vector<Value> parts;
    for (int i = 0; i < node->num_results(); ++i) parts.push_back(node->output(i));
    builder.In(node->scope(), /*named=*/false);
    Node* all = ops::AllRows(builder, parts, ranks, "");
    RETURN_IF_ERROR(builder.status());
    ASSIGN_OR_RETURN(Placement placement, PlaceNode(*all, graph.symbols(), context));
    const double exchange =
        std::max(kMeetingNs, MeanOf(graph, *all, placement.target, *context.machine).ns());
    const double saved = (alone.ns() - alone.fixed_ns) * (1 - 1.0 / static_cast<double>(ranks));
    if (saved <= exchange) {
      graph.Erase(all);
      return Decision::Reject(
          absl::StrFormat("sharing out its rows saves %.2g us, and the exchange takes %.2g us",
                          saved / 1e3, exchange / 1e3));
    }
    all->set_attr(1,
                  absl::StrFormat("every rank would compute %s; a share of its rows saves %.2g us",
                                  node->op().name, (saved - exchange) / 1e3));
    all->set_placement(std::move(placement));
    for (int i = 0; i < node->num_results(); ++i) {
      graph.ReplaceAllUses(parts[i], all->output(i));
      graph.SetInput(all, i, parts[i]);
      NodeResult& part = node->result(i);
      all->result(i).name = std::exchange(part.name, {});
      all->result(i).origin = std::exchange(part.origin, {});
    }
    return Decision::Accept();
  }
};

}  // namespace

std::unique_ptr<Pass> MakeShareRows() { return std::make_unique<ShareRows>(); }

}  // namespace infer
