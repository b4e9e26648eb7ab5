// SPDX-License-Identifier: Apache-2.0
//
// Gives every node that computes something a target and a kernel:
//
//   %q = linear(%x, %w) : f32[T,8]
//     =>  %q = linear(%x, %w) : f32[T,8] @scalar {kernel = "linear_f32_scalar", rule = "all", ...}
//
// The first rule of the policy that matches decides, and the first of its targets that has a kernel
// for the node is taken. Every other target is recorded with the reason why not.
#include <utility>
#include <vector>

#include "ir/status_macros.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "passes/node_facts.h"
#include "passes/passes.h"
#include "passes/placement_record.h"

namespace infer {
namespace {

absl::StatusOr<Placement> Place(const Node& node, const SymbolRanges& symbols,
                                const PassContext& context) {
  ASSIGN_OR_RETURN(RuleChoice choice, ChooseRule(*context.policy, node, symbols));
  std::vector<Rejected> refused;
  for (Target target : choice.rule->targets) {
    KernelAnswer answer = context.catalog->Find(node, target, symbols);
    if (!answer.kernel) {
      refused.push_back({target, Rejected::Code::kNoKernel, answer.reason});
      continue;
    }
    return CompletePlacement(
        MakePlacement(target, choice, PlacementSource::kPolicy, std::move(refused)), node,
        *answer.kernel);
  }
  std::string reasons;
  for (const Rejected& rejected : refused) {
    StrAppend(&reasons, "; ", Name(rejected.target), ": ", rejected.text);
  }
  return absl::UnimplementedError(StrCat("node ", DescribeNode(node), ": no target of rule ",
                                         choice.rule->name, " runs it", reasons));
}

class PlaceNodes final : public Pass {
 public:
  std::string_view name() const override { return "place-nodes"; }
  Stage needs() const override { return Stage::kBound; }
  Stage gives() const override { return Stage::kPlaced; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    for (Node* node : graph.nodes()) {
      if (!IsExecuted(*node) || node->placement()) continue;  // legalize has pinned it
      ASSIGN_OR_RETURN(Placement placement, Place(*node, graph.symbols(), context));
      node->set_placement(std::move(placement));
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakePlaceNodes() { return std::make_unique<PlaceNodes>(); }

}  // namespace infer
