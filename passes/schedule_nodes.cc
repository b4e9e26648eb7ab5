// SPDX-License-Identifier: Apache-2.0
//
// Writes the steps: program order, cut wherever the device changes.
//
//   placed nodes a@scalar, b@simd, c@metal   =>   segment cpu {a, b}, segment metal {c}
//
// A step on parallel is sliced, all others are serial. In a segment with sliced steps the threads
// meet after each step, except
//   - between two serial steps, which one thread runs one after the other;
//   - between two sliced steps that are cut by the same rows: of what the first computes, a thread
//     reads in the second only what it has computed itself.
#include <algorithm>
#include <vector>

#include "passes/passes.h"

namespace infer {
namespace {

// Whether a slice of `node` is rows of its result and reads only these rows of its inputs.
bool IsCutByRows(const Graph& graph, const Node& node, const PassContext& context) {
  const OpTraits& traits = node.op().traits;
  // An op with an index reads any row of input 0: only of a weight nobody waits for them.
  bool reads_by_number = traits.index_input >= 0 && !node.input(0).node->op().traits.weight;
  if (!traits.rowwise || reads_by_number) return false;
  if (node.placement()->target != Target::kParallel) return false;
  // With two axes there is one way to cut rows. With three, rms_norm counts heads and rope tokens;
  // row_sum_squares counts the rows of its input, what scales its sums has one row of them.
  const ValueType* rows = RowsType(node);
  if (rows == nullptr || rows->rank() != 2 || node.input(0).type().rank() != 2) return false;
  KernelAnswer answer = context.catalog->Find(node, Target::kParallel, graph.symbols());
  return answer.kernel && answer.kernel->domain == PartitionDomain::kRows;
}

// Whether slices of both are the same rows, so that `second` finds in its own slice all that it
// reads of `first`.
bool SlicesLineUp(const Graph& graph, const Node& first, const Node& second,
                  const PassContext& context) {
  if (!IsCutByRows(graph, first, context) || !IsCutByRows(graph, second, context)) return false;
  if (*RowsType(first) != *RowsType(second)) return false;
  for (Value input : second.inputs()) {
    if (input.node == &first && input.type() != *RowsType(first)) return false;
  }
  return true;
}

void SetBarriers(const Graph& graph, const std::vector<Node*>& nodes, const PassContext& context,
                 Segment& segment) {
  auto sliced = [](const Step& step) { return step.mode == StepMode::kSliced; };
  if (std::ranges::none_of(segment.steps, sliced)) return;
  for (size_t i = segment.steps.size() - 1; i-- > 0;) {
    Step& step = segment.steps[i];
    const Step& next = segment.steps[i + 1];
    step.barrier_after = (sliced(step) || sliced(next)) &&
                         !SlicesLineUp(graph, *nodes[step.node], *nodes[next.node], context);
    // Nothing runs for a view, so who comes before it meets the others in its place.
    step.barrier_after |= next.barrier_after && nodes[next.node]->op().traits.view;
  }
}

class ScheduleNodes final : public Pass {
 public:
  std::string_view name() const override { return "schedule-nodes"; }
  Stage needs() const override { return Stage::kPlaced; }
  Stage gives() const override { return Stage::kScheduled; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    Plan plan;
    int32_t position = -1;
    for (const Node* node : graph.nodes()) {
      ++position;
      if (!node->placement()) continue;
      Device device = DeviceOf(node->placement()->target);
      if (plan.segments.empty() || plan.segments.back().device != device) {
        plan.segments.push_back({device, {}});
      }
      Step step;
      step.node = position;
      if (node->placement()->target == Target::kParallel) step.mode = StepMode::kSliced;
      plan.segments.back().steps.push_back(step);
    }
    const std::vector<Node*> nodes = graph.nodes();
    for (Segment& segment : plan.segments) SetBarriers(graph, nodes, context, segment);
    graph.set_plan(std::move(plan));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeScheduleNodes() { return std::make_unique<ScheduleNodes>(); }

}  // namespace infer
