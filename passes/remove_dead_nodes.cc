// SPDX-License-Identifier: Apache-2.0
//
// Removes nodes that nothing reads:
//
//   %a = silu(%x)                 %a = silu(%x)
//   %b = linear(%a, %w)    =>     return %a
//   return %a
//
// Runs backwards, so that nodes read only by dead nodes go too: %w above. Three kinds always stay:
// inputs are the graph's interface; states are numbered without gaps in a Program; and a node that
// aliases its input exists to write a state, even if nothing reads its result.
#include "ir/base/decision.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"

namespace infer {
namespace {

Decision CanRemove(const Graph& graph, Node& node) {
  if (node.Is(ops::kInput)) return Decision::Reject("an input of the graph");
  if (node.op().traits.state) return Decision::Reject("a state of the program");
  if (node.op().traits.aliases_input >= 0) return Decision::Reject("writes a state");
  for (int i = 0; i < node.num_results(); ++i) {
    if (!graph.uses(node.output(i)).empty()) return Decision::Reject("a result is used");
  }
  return Decision::Accept();
}

class RemoveDeadNodes final : public Pass {
 public:
  std::string_view name() const override { return "remove-dead-nodes"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext&) const override {
    bool changed = false;
    std::vector<Node*> nodes = graph.nodes();
    for (size_t i = nodes.size(); i-- > 0;) {
      if (!CanRemove(graph, *nodes[i]).accepted()) continue;
      graph.Erase(nodes[i]);
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeRemoveDeadNodes() { return std::make_unique<RemoveDeadNodes>(); }

}  // namespace infer
