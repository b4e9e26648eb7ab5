// SPDX-License-Identifier: Apache-2.0
//
// Writes the steps in program order, cut into segments wherever the device changes.
//
//   placed nodes a@scalar, b@simd, c@metal   =>   segment cpu {a, b}, segment metal {c}
//
// A device with its own memory has a queue. Values that its nodes read from elsewhere are copied to
// it at the beginning of the segment, and values that others read are copied from it at the end; a
// segment that needs such a copy waits for the queue. The cpu continues until then: a new segment
// begins at the first step that must wait.
//
//   a@scalar, b@metal reads a, c@scalar, d@scalar reads b   =>   segment cpu {a},
//   segment metal {copy a, b, copy b}, segment cpu {c}, segment cpu {d} waits for metal
//
// Logits of which the graph also returns the largest (select-candidates) are copied by a last
// segment of their own, so that a call may leave it out.
//
// A step on parallel is sliced if its kernel can be divided; all others are serial. There are
// barriers where ir/graph/barriers.h requires them, and nowhere else.
#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph/barriers.h"
#include "ir/graph/plan.h"
#include "ir/ops/top_logits.h"
#include "passes/passes.h"

namespace infer {
namespace {

class Scheduler {
 public:
  Scheduler(const Graph& graph, const KernelCatalog& catalog)
      : graph_(graph), catalog_(catalog), nodes_(graph.nodes()) {
    waited_.fill(-1);
    for (size_t i = 0; i < nodes_.size(); ++i) position_[nodes_[i]] = static_cast<int32_t>(i);
  }

  Plan Run() {
    for (Node* node : nodes_) {
      if (node->placement()) Add(node);
    }
    const bool may_skip_logits =
        EndWithLargest(graph_.results()) && SpaceOf(graph_.results()[0]) != Device::kCpu;
    for (Value result : graph_.results()) {
      if (may_skip_logits && result == graph_.results()[0]) continue;
      if (IsCopied(result)) BringToCpu(result);
    }
    if (may_skip_logits) CopyLast(graph_.results()[0]);
    WaitForAll();
    for (size_t i = 0; i < plan_.segments.size(); ++i) {
      Segment& segment = plan_.segments[i];
      segment.steps.insert(segment.steps.begin(), copies_in_[i].begin(), copies_in_[i].end());
      segment.steps.insert(segment.steps.end(), copies_out_[i].begin(), copies_out_[i].end());
      SetBarriers(segment);
    }
    return std::move(plan_);
  }

 private:
  // Weights, states and the batch are available wherever they are needed.
  static bool IsCopied(Value value) {
    return value.type().is_tensor() && !value.node->op().traits.weight;
  }
  ValueRef RefOf(Value value) const { return {position_.at(value.node), value.index}; }

  Device SpaceOf(Value value) const {
    auto segment = segment_of_.find(value.node);
    return segment == segment_of_.end() ? Device::kCpu : plan_.segments[segment->second].space();
  }

  void NewSegment(Device device) {
    Segment& segment = plan_.segments.emplace_back();
    segment.device = device;
    const Device space = catalog_.SpaceOf(device);
    if (space != device) segment.shared_space = space;
    copies_in_.emplace_back();
    copies_out_.emplace_back();
  }

  void Add(Node* node) {
    const Device device = DeviceOf(node->placement()->target);
    if (plan_.segments.empty() || plan_.segments.back().device != device) NewSegment(device);
    for (Value input : node->inputs()) {
      if (IsCopied(input)) Bring(input);
    }
    segment_of_[node] = plan_.segments.size() - 1;
    Step step;
    step.node = position_.at(node);
    const bool can_share =
        node->op().traits.view || node->placement()->kernel_record.partition.is_cut();
    if (IsSliced(node->placement()->target) && can_share) step.mode = StepMode::kSliced;
    plan_.segments.back().steps.push_back(step);
  }

  // Makes the value readable in the last segment.
  void Bring(Value value) {
    const Device to = plan_.segments.back().space();
    if (SpaceOf(value) == to) return;
    if (SpaceOf(value) != Device::kCpu) {
      const auto [queue, segment] = BringToCpu(value);
      if (waited_[static_cast<size_t>(queue)] <= segment) Wait(queue);
    }
    if (to == Device::kCpu || !copied_.insert({RefOf(value), to}).second) return;
    copies_in_.back().push_back(CopyOf(value, Device::kCpu, to));
  }

  // Returns the queue that copies the value to the cpu, and the segment in which it does.
  std::pair<Device, int32_t> BringToCpu(Value value) {
    const Device from = SpaceOf(value);
    if (from == Device::kCpu) return {from, -1};
    const size_t segment = segment_of_.at(value.node);
    if (copied_.insert({RefOf(value), Device::kCpu}).second) {
      copies_out_[segment].push_back(CopyOf(value, from, Device::kCpu));
    }
    return {plan_.segments[segment].device, static_cast<int32_t>(segment)};
  }

  // Copies the value to the cpu after everything else, unless a node there has read it already.
  void CopyLast(Value value) {
    if (!copied_.insert({RefOf(value), Device::kCpu}).second) return;
    const Segment& made_in = plan_.segments[segment_of_.at(value.node)];
    const Device device = made_in.device, space = made_in.space();
    NewSegment(device);
    copies_out_.back().push_back(CopyOf(value, space, Device::kCpu));
  }

  Step CopyOf(Value value, Device from, Device to) const {
    Step step;
    step.copy = CopyStep{RefOf(value), from, to};
    return step;
  }

  // Waits right before the step that is about to be added, so that as few steps as possible wait.
  void Wait(Device queue) {
    if (plan_.segments.back().device == Device::kCpu && !plan_.segments.back().steps.empty()) {
      NewSegment(Device::kCpu);
    }
    plan_.segments.back().waits.push_back(queue);
    waited_[static_cast<size_t>(queue)] = static_cast<int32_t>(plan_.segments.size()) - 1;
  }

  // A call returns only when every queue is empty.
  void WaitForAll() {
    std::array<int32_t, kNumDevices> given;
    given.fill(-1);
    for (size_t i = 0; i < plan_.segments.size(); ++i) {
      if (!plan_.segments[i].is_queued()) continue;
      given[static_cast<size_t>(plan_.segments[i].device)] = static_cast<int32_t>(i);
    }
    for (Device device : kAllDevices) {
      const size_t queue = static_cast<size_t>(device);
      if (given[queue] >= 0 && waited_[queue] <= given[queue]) plan_.waits.push_back(device);
    }
  }

  void SetBarriers(Segment& segment) const {
    auto sliced = [](const Step& step) { return step.mode == StepMode::kSliced; };
    if (std::ranges::none_of(segment.steps, sliced)) return;
    UnmetAccesses unmet;
    Step* last = nullptr;  // the last one that computes
    for (Step& step : segment.steps) {
      Node& node = *nodes_[step.node];
      if (node.op().traits.view) continue;
      if (last != nullptr && (last->mode != step.mode || (sliced(step) && Clashes(unmet, node)))) {
        last->barrier_after = true;
        unmet.Meet();
      }
      if (sliced(step)) {
        ForEachAccess(
            node, [&](Value value, const Access& access) { unmet.Add(MemoryName(value), access); });
      }
      last = &step;
    }
  }

  static UnmetAccesses::Memory MemoryName(Value value) {
    const Value memory = MemoryOf(value);
    return {memory.node, memory.index};
  }

  static bool Clashes(const UnmetAccesses& unmet, Node& node) {
    bool clashes = false;
    ForEachAccess(node, [&](Value value, const Access& access) {
      clashes |= unmet.Clashes(MemoryName(value), access);
    });
    return clashes;
  }

  const Graph& graph_;
  const KernelCatalog& catalog_;
  const std::vector<Node*> nodes_;
  std::unordered_map<const Node*, int32_t> position_;
  std::unordered_map<const Node*, size_t> segment_of_;  // of the nodes that have a step
  Plan plan_;
  std::vector<std::vector<Step>> copies_in_, copies_out_;  // by segment
  std::set<std::pair<ValueRef, Device>> copied_;
  std::array<int32_t, kNumDevices> waited_;  // segments before this one are complete
};

class ScheduleNodes final : public Pass {
 public:
  std::string_view name() const override { return "schedule-nodes"; }
  Stage needs() const override { return Stage::kPlaced; }
  Stage gives() const override { return Stage::kScheduled; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    graph.set_plan(Scheduler(graph, *context.catalog).Run());
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeScheduleNodes() { return std::make_unique<ScheduleNodes>(); }

}  // namespace infer
