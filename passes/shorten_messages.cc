// SPDX-License-Identifier: Apache-2.0
//
// Sends parts of a value in the form to which the product that reads it rounds it anyway, where
// that saves time:
//
//   %a = all_gather(%0) {...} : f32[T,64]
//   %o = linear(%a, %w) @simd         (numerics "avx512 int8x32")
// =>
//   %a = all_gather(%0) {..., message = "int8x32"} : f32[T,64] from none
//   %o = linear(%a, %w) @simd
//
// What arrives rounds to the same numbers, so the product has the same bits; but it is not the
// value that one process computes, so it loses its origin.
#include <algorithm>
#include <string>
#include <string_view>
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

class ShortenMessages final : public Pass {
 public:
  std::string_view name() const override { return "shorten-messages"; }
  Stage needs() const override { return Stage::kPlaced; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    for (Node* node : graph.NodesOf(ops::kAllGather)) {
      if (!ops::MessageOf(node->attrs()).name.empty()) continue;
      const Decision decision = Shorten(graph, node, context);
      if (decision.accepted()) {
        changed = true;
      } else {
        context.Explain(*node, StrCat("sent as f32: ", decision.reason()));
      }
    }
    if (changed) FillEstimates(graph, *context.machine);
    return changed;
  }

 private:
  // The estimates of a node for the fewest and the most tokens of the graph's calls.
  static std::pair<double, double> Estimates(const Graph& graph, const Node& node,
                                             const MachineDescription& machine) {
    const SymbolicCount no_weights;
    auto at = [&](const SymbolValues& symbols) {
      return EstimateNode(node, node.placement()->target, no_weights, machine, symbols).ns();
    };
    return {at(LowerEnd(graph.symbols())), at(UpperEnd(graph.symbols()))};
  }

  // Whether the description has what it takes to judge a message.
  static Decision Describes(const MachineDescription* machine, const Node& node,
                            std::string_view form) {
    auto find = [&](std::string_view type) {
      return machine == nullptr ? nullptr
                                : machine->FindRate(node.placement()->target, node.op().name, type);
    };
    if (const KernelRate* network = find(""); network == nullptr || network->cached_gb_s <= 0) {
      return Decision::Reject("the machine description has no network");
    }
    if (const KernelRate* rounding = find(form);
        rounding->type != form || rounding->rates.empty()) {
      return Decision::Reject(
          StrCat("the machine description does not say how long rounding to ", form, " takes"));
    }
    return Decision::Accept();
  }

  static Decision Shorten(const Graph& graph, Node* node, const PassContext& context) {
    std::string why;
    const MessageForm* form = FormOfReaders(graph, node->output(), &why);
    if (form == nullptr) return Decision::Reject(why);
    const Decision described = Describes(context.machine, *node, form->name);
    if (!described.accepted()) return described;
    const auto [least_before, most_before] = Estimates(graph, *node, *context.machine);
    const std::vector<Attr> before(node->attrs().begin(), node->attrs().end());
    ops::SetMessage(node, *form, StrCat("sent as ", form->name, ", to which its reader rounds it"));
    const std::vector<ValueType> inputs = node->InputTypes();
    const bool fits = CheckAndInfer({node->op(), inputs, node->attrs(), {}}).ok();
    KernelAnswer answer;
    if (!fits) {
      why = StrCat("its parts are not whole blocks of ", form->name);
    } else if (const auto [least, most] = Estimates(graph, *node, *context.machine);
               least >= least_before || most >= most_before) {
      why = StrCat("rounding to ", form->name, " takes longer than it saves");
    } else {
      answer = context.catalog->Find(*node, node->placement()->target, graph.symbols());
      why = answer.reason;
    }
    if (!answer.kernel) {
      for (int i = 0; i < static_cast<int>(before.size()); ++i) node->set_attr(i, before[i]);
      return Decision::Reject(why);
    }
    node->set_placement(CompletePlacement(*node->placement(), *node, *answer.kernel));
    node->result().origin.clear();
    return Decision::Accept();
  }
};

}  // namespace

std::unique_ptr<Pass> MakeShortenMessages() { return std::make_unique<ShortenMessages>(); }

}  // namespace infer
