// SPDX-License-Identifier: Apache-2.0
//
// Gives every node that computes something a target and a kernel:
//
//   %q = linear(%x, %w) : f32[T,8]
//     =>  %q = linear(%x, %w) : f32[T,8] @scalar {kernel = "linear_f32_scalar", rule = "all", ...}
//
// The first rule of the policy that matches decides, and the first of its targets that has a kernel
// for the node is used. Every other target is recorded with the reason against it.
#include <utility>

#include "ir/base/status_macros.h"
#include "passes/estimate.h"
#include "passes/passes.h"
#include "passes/place_node.h"

namespace infer {
namespace {

class PlaceNodes final : public Pass {
 public:
  std::string_view name() const override { return "place-nodes"; }
  Stage needs() const override { return Stage::kBound; }
  Stage gives() const override { return Stage::kPlaced; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    for (Node* node : graph.nodes()) {
      if (!IsExecuted(*node) || node->placement()) continue;  // legalize has pinned it
      ASSIGN_OR_RETURN(Placement placement, PlaceNode(*node, graph.symbols(), context));
      node->set_placement(std::move(placement));
      changed = true;
    }
    if (context.machine != nullptr) changed |= FillEstimates(graph, *context.machine);
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakePlaceNodes() { return std::make_unique<PlaceNodes>(); }

}  // namespace infer
