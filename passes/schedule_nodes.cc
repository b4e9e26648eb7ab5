// SPDX-License-Identifier: Apache-2.0
//
// Writes the steps: program order, cut wherever the device changes.
//
//   placed nodes a@scalar, b@simd, c@metal   =>   segment cpu {a, b}, segment metal {c}
//
// A step on parallel is sliced, all others are serial. In a segment with sliced steps the threads
// meet after each step, except
//   - between two serial steps, which one thread runs one after the other;
//   - between two sliced steps that are cut by the same rows, if the second reads, of what the
//   first
//     computes, only the rows that the same thread has computed.
#include <algorithm>
#include <vector>

#include "passes/passes.h"

namespace infer {
namespace {

// Whether slices of both are the same rows, so that `second` finds in its own slice all that it
// reads of `first`.
bool SlicesLineUp(const Graph& graph, const Node& first, const Node& second,
                  const PassContext& context) {
  for (const Node* node : {&first, &second}) {
    if (!node->op().traits.rowwise || node->placement()->target != Target::kParallel) return false;
    KernelAnswer answer = context.catalog->Find(*node, Target::kParallel, graph.symbols());
    if (!answer.kernel || answer.kernel->domain != PartitionDomain::kRows) return false;
  }
  // Rows are cut by all axes but the last; an op that reads what `first` computes as something else
  // than rows of that shape would look beyond its slice.
  const ValueType* rows = RowsType(first);
  const ValueType* second_rows = RowsType(second);
  if (rows == nullptr || second_rows == nullptr || *rows != *second_rows) return false;
  for (Value input : second.inputs()) {
    if (input.node == &first && input.type() != *rows) return false;
  }
  return true;
}

void SetBarriers(const Graph& graph, const std::vector<Node*>& nodes, const PassContext& context,
                 Segment& segment) {
  auto sliced = [](const Step& step) { return step.mode == StepMode::kSliced; };
  if (std::ranges::none_of(segment.steps, sliced)) return;
  for (size_t i = 0; i + 1 < segment.steps.size(); ++i) {
    Step& step = segment.steps[i];
    const Step& next = segment.steps[i + 1];
    step.barrier_after = (sliced(step) || sliced(next)) &&
                         !SlicesLineUp(graph, *nodes[step.node], *nodes[next.node], context);
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
