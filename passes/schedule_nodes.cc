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

#include "ir/graph/barriers.h"
#include "passes/passes.h"

namespace infer {
namespace {

// Whether slices of both are the same rows.
bool SlicesLineUp(const Graph& graph, const Node& first, const Node& second,
                  const PassContext& context) {
  for (const Node* node : {&first, &second}) {
    if (node->placement()->target != Target::kParallel) return false;
    KernelAnswer answer = context.catalog->Find(*node, Target::kParallel, graph.symbols());
    if (!answer.kernel || answer.kernel->domain != PartitionDomain::kRows) return false;
  }
  return CutByTheSameRows(first, second);
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
        const Device space = context.catalog->SpaceOf(device);
        if (space != device) plan.segments.back().shared_space = space;
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
