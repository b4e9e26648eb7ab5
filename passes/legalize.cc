// SPDX-License-Identifier: Apache-2.0
//
// Expands a composite op where its rule's targets cannot run it whole:
//
//   %n = rms_norm(%x, %w) {eps = 1e-06}   =>   %0 = row_sum_squares(%x) ... %n = mul(%5, %w)
//
// The first target of the rule that runs the node, or else all of its decomposition, is taken. In
// the second case the parts are pinned to that target (source LEGALIZE) and keep the node's scope;
// the node's name and origin move to the part that computes its result. With `composites:
// DECOMPOSE` everything is expanded and each part is placed by its own rule.
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/decision.h"
#include "ir/ops/ops.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "passes/node_facts.h"
#include "passes/passes.h"
#include "passes/placement_record.h"

namespace infer {
namespace {

// Replaces `node` by its decomposition and returns the parts, in order.
absl::StatusOr<std::vector<Node*>> Expand(Graph& graph, Node* node) {
  GraphBuilder builder = GraphBuilder::Before(&graph, node);
  builder.In(node->scope(), /*named=*/false);
  std::vector<Value> results = node->op().decompose(builder, *node);
  RETURN_IF_ERROR(builder.status());
  if (results.size() != static_cast<size_t>(node->num_results())) {
    return absl::InternalError(StrCat(node->op().name, ": decomposition has ", results.size(),
                                      " results, expected ", node->num_results()));
  }
  for (int i = 0; i < node->num_results(); ++i) {
    NodeResult& made = results[i].node->result(results[i].index);
    made.name = node->result(i).name;
    made.origin = node->result(i).origin;
    graph.ReplaceAllUses(node->output(i), results[i]);
  }
  std::vector<Node*> parts = builder.emitted();
  for (Node* part : parts) part->set_merged_scopes(node->merged_scopes());
  graph.Erase(node);
  return parts;
}

// Whether all primitives that `node` consists of run on `target`; tried on a graph of its own, so
// that a refusal leaves no trace.
Decision PartsRunOn(const Graph& graph, const Node& node, Target target,
                    const KernelCatalog& catalog) {
  Graph scratch;
  scratch.set_symbols(graph.symbols());
  std::vector<Value> inputs;
  auto copy_attrs = [](const Node& of) {
    return std::vector<Attr>(of.attrs().begin(), of.attrs().end());
  };
  for (Value input : node.inputs()) {
    const Node& from = *input.node;
    bool weight = from.op().traits.weight;  // a kernel may want to know
    inputs.push_back(scratch
                         .Insert(nullptr, weight ? from.op() : ops::kInput, {},
                                 weight ? copy_attrs(from) : std::vector<Attr>(), {input.type()})
                         ->output());
  }
  Node* twin = scratch.Insert(nullptr, node.op(), inputs, copy_attrs(node), node.ResultTypes());
  absl::StatusOr<std::vector<Node*>> parts = Expand(scratch, twin);
  if (!parts.ok()) return Decision::Reject(std::string(parts.status().message()));
  for (size_t i = 0; i < parts->size(); ++i) {
    Node* part = (*parts)[i];
    KernelAnswer answer = catalog.Find(*part, target, graph.symbols());
    if (answer.kernel) continue;
    if (!part->op().composite()) return Decision::Reject(std::move(answer.reason));
    absl::StatusOr<std::vector<Node*>> inner = Expand(scratch, part);
    if (!inner.ok()) return Decision::Reject(std::string(inner.status().message()));
    parts->insert(parts->end(), inner->begin(), inner->end());
  }
  return Decision::Accept();
}

class Legalize final : public Pass {
 public:
  std::string_view name() const override { return "legalize"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    for (Node* node : graph.nodes()) {
      if (!node->op().composite() || node->placement()) continue;  // a pinned part stays whole
      ASSIGN_OR_RETURN(bool expanded, LegalizeNode(graph, node, context));
      changed |= expanded;
    }
    return changed;
  }

 private:
  static absl::StatusOr<bool> LegalizeNode(Graph& graph, Node* node, PassContext& context) {
    if (context.policy->composites == Policy::Composites::kDecompose) {
      return ExpandAll(graph, node, context, nullptr);
    }
    ASSIGN_OR_RETURN(RuleChoice choice, ChooseRule(*context.policy, *node, graph.symbols()));
    std::string reasons;
    std::vector<Rejected> refused;
    for (Target target : choice.rule->targets) {
      KernelAnswer whole = context.catalog->Find(*node, target, graph.symbols());
      if (whole.kernel) return false;
      Decision parts = PartsRunOn(graph, *node, target, *context.catalog);
      if (parts.accepted()) {
        Placement pin =
            MakePlacement(target, choice, PlacementSource::kLegalize, std::move(refused));
        return ExpandAll(graph, node, context, &pin);
      }
      std::string reason = StrCat(whole.reason, ", and its parts: ", parts.reason());
      StrAppend(&reasons, "; ", Name(target), ": ", reason);
      refused.push_back({target, Rejected::Code::kNoKernel, std::move(reason)});
    }
    return absl::UnimplementedError(StrCat("node ", DescribeNode(*node), ": no target of rule ",
                                           choice.rule->name, " runs it", reasons));
  }

  // Expands until nothing composite is left, or, with a pin, until the pin's target runs each part.
  static absl::StatusOr<bool> ExpandAll(Graph& graph, Node* node, PassContext& context,
                                        const Placement* pin) {
    std::vector<Node*> work = {node};
    while (!work.empty()) {
      Node* next = work.back();
      work.pop_back();
      ASSIGN_OR_RETURN(std::vector<Node*> parts, Expand(graph, next));
      for (Node* part : parts) {
        KernelAnswer answer;
        if (pin) answer = context.catalog->Find(*part, pin->target, graph.symbols());
        if (part->op().composite() && !answer.kernel) {
          work.push_back(part);
        } else if (pin) {
          if (!answer.kernel) {
            return absl::InternalError(StrCat("node ", DescribeNode(*part), ": ", Name(pin->target),
                                              " ran it on trial only: ", answer.reason));
          }
          part->set_placement(CompletePlacement(*pin, *part, *answer.kernel));
        }
      }
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeLegalize() { return std::make_unique<Legalize>(); }

}  // namespace infer
