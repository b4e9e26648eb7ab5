// SPDX-License-Identifier: Apache-2.0
//
// Rounds a value when ranks collect it, where all that read it are products that round it so and
// take it rounded:
//
//   %a = all_gather(%0) {axis = 1, ranks = 4, ...} : f32[T,64]
//   %o = linear(%a, %w) @parallel                   (numerics "amx bf16")
// =>
//   %a = all_gather(%0) {..., message = "bf16", stays = [0]} : bf16[T,64]
//   %o = linear(%a, %w) @parallel
//
// and the same for the rows of all_rows. An element is then rounded once, by the rank that computed
// it, and not by every rank, and half of the bytes move between them. The products have the same
// bits. No estimate decides: the rates of products include the rounding that they are spared here.
//
// In the mode FAST only rows are rounded, which nobody sends: ranks of other CPU levels send f32.
#include <string>
#include <utility>
#include <vector>

#include "ir/base/decision.h"
#include "ir/base/strings.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "passes/estimate.h"
#include "passes/passes.h"
#include "passes/placement_record.h"
#include "passes/readers_form.h"

namespace infer {
namespace {

class RoundParts final : public Pass {
 public:
  std::string_view name() const override { return "round-parts"; }
  Stage needs() const override { return Stage::kPlaced; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    for (Node* node : graph.nodes()) {
      const bool is_sent = node->Is(ops::kAllGather);
      if (!is_sent && !node->op().traits.shares_rows) continue;
      if (is_sent && context.policy->shard.mode != ShardPolicy::Mode::kExact) continue;
      for (int i = 0; i < node->num_results(); ++i) {
        if (!node->result(i).type.is_tensor(DType::kF32)) continue;
        const Decision decision = Round(graph, node, i, context);
        changed |= decision.accepted();
        if (decision.accepted()) continue;
        const std::string which = node->num_results() > 1 ? StrCat("result ", i, " ") : "";
        context.Explain(*node, StrCat(which, "stays f32: ", decision.reason()));
      }
    }
    if (changed && context.machine != nullptr) FillEstimates(graph, *context.machine);
    return changed;
  }

 private:
  // What rounding result `i` of a collective changes, to be able to take it back.
  struct Before {
    Node* collective;
    int i;
    std::vector<Attr> attrs;
    ValueType type;

    static Before Of(Node* node, int i) {
      return {node, i, {node->attrs().begin(), node->attrs().end()}, node->result(i).type};
    }
    void Restore() {
      for (int a = 0; a < static_cast<int>(attrs.size()); ++a) {
        collective->set_attr(a, std::move(attrs[a]));
      }
      collective->result(i).type = type;
    }
  };

  static Decision Round(Graph& graph, Node* node, int i, const PassContext& context) {
    std::string why;
    const MessageForm* form = FormOfReaders(graph, node->output(i), &why);
    if (form == nullptr) return Decision::Reject(why);
    if (form != &ops::kStayingForm) {
      return Decision::Reject(StrCat("its readers round it to ", form->name));
    }
    Before before = Before::Of(node, i);
    ops::StayRounded(node, i, StrCat("rounded once, to ", form->name, ", as its readers round it"));
    std::vector<std::pair<Node*, Placement>> placed;
    Decision decision = Place(graph, node, context, &placed);
    for (const Use& use : node->uses(i)) {
      if (decision.accepted()) decision = Place(graph, use.user, context, &placed);
    }
    if (!decision.accepted()) {
      before.Restore();
      return decision;
    }
    for (auto& [changed, placement] : placed) changed->set_placement(std::move(placement));
    return decision;
  }

  // Adds the placement of a node on its target, whose operands have other types than before.
  static Decision Place(const Graph& graph, Node* node, const PassContext& context,
                        std::vector<std::pair<Node*, Placement>>* placed) {
    const KernelAnswer answer =
        context.catalog->Find(*node, node->placement()->target, graph.symbols());
    if (!answer.kernel) return Decision::Reject(answer.reason);
    placed->emplace_back(node, CompletePlacement(*node->placement(), *node, *answer.kernel));
    return Decision::Accept();
  }
};

}  // namespace

std::unique_ptr<Pass> MakeRoundParts() { return std::make_unique<RoundParts>(); }

}  // namespace infer
