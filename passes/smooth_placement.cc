// SPDX-License-Identifier: Apache-2.0
//
// Moves a lone node to the target around it if the boundary costs more than the node saves:
//
//   a@metal, b@parallel, c@metal   =>   a@metal, b@metal, c@metal
//
// A node is alone if neither the step before nor the one after is on its target. It moves to the
// target of one of them if the rule that placed it also lists that target, there is a kernel, and
// the estimate, with all boundary costs around the node, is lower at both ends of the regime. Nodes
// that the user placed by hand or legalize pinned stay, and so do all nodes if fallback is
// forbidden or the policy asks for primitives. The record keeps both figures.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "passes/boundary_cost.h"
#include "passes/estimate.h"
#include "passes/passes.h"

namespace infer {
namespace {

using Ends = std::array<double, 2>;  // nanoseconds at the lower and the upper end of the regime

bool IsLess(const Ends& a, const Ends& b) { return a[0] < b[0] && a[1] < b[1]; }

class Smoother {
 public:
  Smoother(Graph& graph, const PassContext& context)
      : context_(context),
        symbols_(graph.symbols()),
        ends_{LowerEnd(symbols_), UpperEnd(symbols_)},
        call_bytes_(CallBytes(graph)) {
    for (Node* node : graph.nodes()) {
      if (!node->placement()) continue;
      (node->op().traits.view ? views_ : steps_).push_back(node);
    }
    boundary_costs_.emplace(graph, *context.machine);
  }

  // A target that was left is never listed again, so this terminates.
  bool Run() {
    bool changed = false;
    for (bool moved = true; moved; changed |= moved) {
      moved = false;
      for (size_t i = 0; i < steps_.size(); ++i) moved |= Smooth(i);
    }
    return changed;
  }

 private:
  const Node* Before(size_t i) const { return i == 0 ? nullptr : steps_[i - 1]; }
  const Node* After(size_t i) const { return i + 1 == steps_.size() ? nullptr : steps_[i + 1]; }

  bool Smooth(size_t i) {
    Node* node = steps_[i];
    const Target from = node->placement()->target;
    const PlacementSource source = node->placement()->source;
    if (source == PlacementSource::kOverride || source == PlacementSource::kLegalize) return false;
    for (const Node* neighbour : {Before(i), After(i)}) {
      if (neighbour != nullptr && neighbour->placement()->target == from) return false;
    }
    for (const Node* neighbour : {Before(i), After(i)}) {
      if (neighbour == nullptr) continue;
      if (TryMove(i, neighbour->placement()->target)) return true;
    }
    return false;
  }

  bool TryMove(size_t i, Target to) {
    Node* node = steps_[i];
    const Placement& placement = *node->placement();
    auto listed = std::ranges::find_if(placement.rejected, [&](const Rejected& rejected) {
      return rejected.target == to && rejected.code == Rejected::Code::kLowerInRule;
    });
    if (listed == placement.rejected.end()) return false;
    KernelAnswer answer = context_.catalog->Find(*node, to, symbols_);
    if (!answer.kernel) return false;
    // A target that the machine description does not cover would count as free.
    for (Target target : {placement.target, to}) {
      if (Knows(*node, target)) continue;
      context_.Explain(*node, StrCat("the machine description does not cover ", Name(target)));
      return false;
    }
    const Ends now = CostAt(i, placement.target), then = CostAt(i, to);
    if (!IsLess(then, now)) {
      context_.Explain(*node,
                       absl::StrFormat("%s would take %.0f to %.0f ns with all boundary costs, "
                                       "%s takes %.0f to %.0f ns",
                                       std::string(Name(to)), then[0], then[1],
                                       std::string(Name(placement.target)), now[0], now[1]));
      return false;
    }
    const Target from = placement.target;
    Move(node, to, *std::move(answer.kernel),
         absl::StrFormat(
             "alone there: %.0f to %.0f ns with its boundary costs, on %s %.0f to %.0f ns", now[0],
             now[1], std::string(Name(to)), then[0], then[1]));
    // A view runs no code, but on another device it would cut a segment.
    for (Node* view : views_) {
      if (StepOf(view) != node || view->placement()->target != from) continue;
      KernelAnswer there = context_.catalog->Find(*view, to, symbols_);
      if (!there.kernel) continue;
      Move(view, to, *std::move(there.kernel), "the value that it shows has moved");
    }
    return true;
  }

  bool Knows(const Node& node, Target target) const {
    return context_.machine->FindCost(target) != nullptr &&
           EstimateNode(node, target, call_bytes_, *context_.machine, ends_[1]).ns() > 0;
  }

  // Returns the cost of the node on `target`, with the boundary costs on both sides of it.
  Ends CostAt(size_t i, Target target) const {
    Ends cost = {};
    for (size_t end = 0; end < ends_.size(); ++end) {
      cost[end] =
          EstimateNode(*steps_[i], target, call_bytes_, *context_.machine, ends_[end]).ns() +
          boundary_costs_->Around(*steps_[i], target, Before(i), After(i), ends_[end]);
    }
    return cost;
  }

  static void Move(Node* node, Target to, KernelFacts kernel, std::string why) {
    Placement placement = *node->placement();
    const Target from = std::exchange(placement.target, to);
    std::erase_if(placement.rejected, [&](const Rejected& r) { return r.target == to; });
    placement.rejected.push_back({from, Rejected::Code::kCostsMore, std::move(why)});
    placement.kernel = std::move(kernel.name);
    placement.kernel_record = std::move(kernel.record);
    placement.source = PlacementSource::kSmooth;
    node->set_placement(std::move(placement));
  }

  const PassContext& context_;
  const SymbolRanges symbols_;
  const std::array<SymbolValues, 2> ends_;
  const SymbolicCount call_bytes_;
  std::vector<Node*> steps_;
  std::vector<Node*> views_;
  std::optional<BoundaryCosts> boundary_costs_;
};

class SmoothPlacement final : public Pass {
 public:
  std::string_view name() const override { return "smooth-placement"; }
  Stage needs() const override { return Stage::kPlaced; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    if (context.machine == nullptr) return false;  // nothing to compare with
    if (context.fallback == Fallback::kForbidden) return false;
    // A user who wants primitives compares them one by one, where the policy places them.
    if (context.policy->composites == Policy::Composites::kDecompose) return false;
    if (!Smoother(graph, context).Run()) return false;
    FillEstimates(graph, *context.machine);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeSmoothPlacement() { return std::make_unique<SmoothPlacement>(); }

}  // namespace infer
