// SPDX-License-Identifier: Apache-2.0
//
// Writes the steps: program order, cut wherever the device changes.
//
//   placed nodes a@scalar, b@simd, c@metal   =>   segment cpu {a, b}, segment metal {c}
#include "passes/passes.h"

namespace infer {
namespace {

class ScheduleNodes final : public Pass {
 public:
  std::string_view name() const override { return "schedule-nodes"; }
  Stage needs() const override { return Stage::kPlaced; }
  Stage gives() const override { return Stage::kScheduled; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext&) const override {
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
      plan.segments.back().steps.push_back(step);
    }
    graph.set_plan(std::move(plan));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeScheduleNodes() { return std::make_unique<ScheduleNodes>(); }

}  // namespace infer
