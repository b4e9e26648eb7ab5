// SPDX-License-Identifier: Apache-2.0
//
// Adds the largest logits of each row and their tokens to the results, where the logits are
// computed in another memory than the cpu's:
//
//   %l = linear(%x, %w)                     %l = linear(%x, %w)
//   return %l                          =>   %ids, %largest = top_k(%l) {k = 64, normed = false}
//                                           return %l, %ids, %largest
//
// A sampler that keeps the top k needs no more, so that calls can leave whole rows where they are.
// On the cpu, where samplers read the row in place, the node would be of no use.
#include <algorithm>
#include <optional>

#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/choose_target.h"
#include "passes/passes.h"

namespace infer {
namespace {

std::optional<Target> TargetOf(const Node& node, const Graph& graph, const PassContext& context,
                               InParts in_parts) {
  absl::StatusOr<TargetChoice> choice = ChooseTarget(node, graph.symbols(), *context.policy,
                                                     *context.catalog, in_parts, context.fallback);
  if (!choice.ok()) return std::nullopt;
  return choice->target;
}

bool AreLogits(const ValueType& type) {
  return type.is_tensor(DType::kF32) && type.rank() == 2 && type.dim(0) == Dim(Symbol::kR) &&
         !type.dim(1).is_symbol();
}

class SelectCandidates final : public Pass {
 public:
  std::string_view name() const override { return "select-candidates"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    if (context.candidates == 0 || graph.results().empty()) return false;
    const Value logits = graph.results()[0];
    if (graph.results().back().node->Is(ops::kTopK) || !AreLogits(logits.type())) return false;
    const std::optional<Target> target =
        TargetOf(*logits.node, graph, context, InParts::kIfNotWhole);
    if (!target || context.catalog->SpaceOf(DeviceOf(*target)) == Device::kCpu) {
      context.Explain(*logits.node, "samplers read whole rows of logits where they are");
      return false;
    }
    GraphBuilder builder(&graph);
    const int64_t k = std::min(context.candidates, logits.type().dim(1).value());
    const auto [ids, largest] = ops::TopK(builder.In("candidates"), logits, {.k = k});
    RETURN_IF_ERROR(builder.status());
    if (TargetOf(*ids.node, graph, context, InParts::kNever) != target) {
      context.Explain(*logits.node, "no kernel finds the largest logits where they are computed");
      graph.Erase(ids.node);
      return false;
    }
    graph.AddResult(ids);
    graph.AddResult(largest);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeSelectCandidates() { return std::make_unique<SelectCandidates>(); }

}  // namespace infer
