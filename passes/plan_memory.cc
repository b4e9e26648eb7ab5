// SPDX-License-Identifier: Apache-2.0
//
// Gives every tensor value that is not a weight an offset in the arena of the space it is computed
// in. There is one arena per space, the cpu's first.
//
// 1. Lifetimes. A value lives from the step that computes it to the last step that reads it. Inputs
//    of the graph live from the first step on; its results are read after the last step. Memory of
//    the cpu that a queue copies from or to stays in use until the cpu waits for the queue. Sizes
//    are those at the upper ends of T, R and S, so that one plan serves every call of the regime.
// 2. Buffers. A view shares the buffer of its input. So does the result of an op that may work in
//    place, if that input lies in the same space, has the same size, is not read again, not even by
//    late threads, and is not a result of the graph. All other values get their own buffer.
// 3. Offsets. Walking the steps in order, buffers whose last reader has passed are given back and
//    neighbouring gaps are joined; a new buffer takes the smallest gap that holds it, or the end of
//    the arena. Transformer layers repeat, so gaps of one layer fit the next exactly.
//    Results of collectives have the beginning of the cpu's arena for themselves, from the step on
//    that may write into them (ir/graph/common_memory.h).
//
// The reported lower bound is the largest sum of buffers live at one step; no arrangement can need
// less.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/barriers.h"
#include "ir/graph/common_memory.h"
#include "ir/graph/plan.h"
#include "ir/verify/verifier.h"
#include "passes/arena_layout.h"
#include "passes/passes.h"
#include "passes/plan_uses.h"

namespace infer {
namespace {

class Planner {
 public:
  explicit Planner(Graph& graph)
      : graph_(graph),
        plan_(*graph.plan()),
        nodes_(graph.nodes()),
        uses_(graph, nodes_, plan_),
        met_after_(MeetingSteps(plan_, nodes_)) {}

  absl::StatusOr<Plan> Run() {
    for (size_t i = 0; i < nodes_.size(); ++i) position_[nodes_[i]] = static_cast<int32_t>(i);
    for (Node* input : graph_.inputs()) {
      if (input->result().type.is_tensor()) AddBuffer(input->output(), Device::kCpu, 0);
    }
    const auto& steps = uses_.steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      RETURN_IF_ERROR(AssignBuffers(*steps[i].step, steps[i].space, static_cast<int32_t>(i)));
    }
    RETURN_IF_ERROR(AddWorkspaces());
    PlaceBuffers();
    WriteSlots();
    return std::move(plan_);
  }

 private:
  struct Assigned {
    int buffer = -1;
    uint64_t bytes = 0;
    int32_t first_step = 0;
    int32_t last_step = 0;
    std::optional<ValueRef> alias_of = {};
  };

  ValueRef RefOf(Value value) const { return {position_.at(value.node), value.index}; }

  // The verifier has checked that every type at its largest stays below 2^40 bytes.
  uint64_t SlotBytes(const ValueType& type) const {
    return *CheckedAlignUp(*BytesAt(type.tensor, graph_.symbols().Highest()), kSlotAlignment);
  }

  absl::Status AssignBuffers(const Step& step, Device space, int32_t at) {
    if (step.copy) {
      const Value value = nodes_[step.copy->value.node]->output(step.copy->value.result);
      AddBuffer(value, step.copy->to, at);
      return absl::OkStatus();
    }
    Node& node = *nodes_[step.node];
    if (at > 0 && met_after_[at - 1] < at) unmet_.Meet();
    if (node.op().traits.view && BufferOf(node.input(0), space) < 0) {
      return absl::InvalidArgumentError(
          StrCat("node ", DescribeNode(node), ": is a view of ", DescribeNode(*node.input(0).node),
                 ", which has no memory in the arena; copy it first"));
    }
    for (int i = 0; i < node.num_results(); ++i) {
      if (!node.result(i).type.is_tensor()) continue;
      const int shared = i == 0 ? SharedInput(step, node, space, at) : -1;
      if (shared >= 0) {
        ShareBuffer(node.output(0), node.input(shared), space, at);
      } else {
        AddBuffer(node.output(i), space, at);
      }
    }
    if (node.op().traits.collective) last_collective_ = at;
    if (step.mode == StepMode::kSliced) {
      ForEachAccess(node, [&](Value value, const Access& access) {
        if (value.type().is_tensor()) unmet_.Add({nullptr, BufferOf(value, space)}, access);
      });
    }
    return absl::OkStatus();
  }

  void AddBuffer(Value value, Device space, int32_t at) {
    const Place place = {RefOf(value), space};
    Assigned assigned = {static_cast<int>(buffers_.size()), SlotBytes(value.type()),
                         FirstWrite(value, space, at), uses_.LastUse(place, at)};
    buffers_.push_back({.space = space,
                        .bytes = assigned.bytes,
                        .first_step = assigned.first_step,
                        .last_step = assigned.last_step,
                        .holds_result = IsResult(value, space),
                        .common = IsCommon(*value.node, space)});
    assigned_[place] = assigned;
  }

  // The step that computes a rank's columns or rows may already write them where all are.
  int32_t FirstWrite(Value value, Device space, int32_t at) const {
    const int input = IsCommon(*value.node, space) ? InputInPlace(*value.node, value.index) : -1;
    if (input < 0) return at;
    const auto part = assigned_.find({RefOf(value.node->input(input)), space});
    const bool is_known = part != assigned_.end() && part->second.first_step > last_collective_;
    return is_known ? part->second.first_step : at;
  }

  void ShareBuffer(Value value, Value input, Device space, int32_t at) {
    const Place place = {RefOf(value), space};
    Assigned assigned = {BufferOf(input, space), SlotBytes(value.type()), at,
                         uses_.LastUse(place, at), RefOf(input)};
    ArenaBuffer& buffer = buffers_[assigned.buffer];
    buffer.last_step = std::max(buffer.last_step, assigned.last_step);
    buffer.holds_result |= IsResult(value, space);
    assigned_[place] = assigned;
  }

  bool IsResult(Value value, Device space) const {
    return space == Device::kCpu && graph_.IsResult(value);
  }

  // Returns the input whose buffer result 0 takes over, or -1.
  int SharedInput(const Step& step, Node& node, Device space, int32_t at) const {
    if (node.op().traits.view) return 0;
    int input = node.op().traits.in_place_input;
    int buffer = input < 0 ? -1 : BufferOf(node.input(input), space);
    if (buffer < 0 || buffers_[buffer].holds_result || buffers_[buffer].common) return -1;
    if (buffers_[buffer].bytes != SlotBytes(node.result().type)) return -1;
    if (buffers_[buffer].last_step > at) return -1;
    for (int other = 0; other < static_cast<int>(node.inputs().size()); ++other) {
      if (other != input && BufferOf(node.input(other), space) == buffer) return -1;
    }
    return step.mode != StepMode::kSliced || CanSliceInPlace(node, input, buffer) ? input : -1;
  }

  // Returns whether late threads, in this step or since the last barrier, read nothing there that a
  // unit of this step overwrites.
  bool CanSliceInPlace(const Node& node, int input, int buffer) const {
    if (RowSharerOf(node) != nullptr) return false;
    const Partition& partition = node.placement()->kernel_record.partition;
    const Access write = {&partition, partition.OwnsResult(0), true,
                          CountBytes(node.result().type)};
    return write.own && partition.OwnsInput(input) && !unmet_.Clashes({nullptr, buffer}, write);
  }

  // Returns -1 for weights, caches and the batch.
  int BufferOf(Value value, Device space) const {
    auto it = assigned_.find({RefOf(value), space});
    return it == assigned_.end() ? -1 : it->second.buffer;
  }

  // A kernel's workspace is a buffer that lives for one step.
  absl::Status AddWorkspaces() {
    const auto& steps = uses_.steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto [step, space] = steps[i];
      if (step->node < 0) continue;
      const Placement& placement = *nodes_[step->node]->placement();
      const KernelRecord& record = placement.kernel_record;
      uint64_t& scratch = scratch_bytes_[static_cast<size_t>(space)];
      scratch = std::max(scratch, record.scratch_bytes);
      if (record.workspace_bytes == 0) continue;
      std::optional<uint64_t> bytes = CheckedAlignUp(record.workspace_bytes, kSlotAlignment);
      if (!bytes) {
        return absl::ResourceExhaustedError(
            StrCat("node ", DescribeNode(*nodes_[step->node]), ": kernel ", placement.kernel,
                   " needs ", record.workspace_bytes, " bytes of workspace, which is too much"));
      }
      step->workspace_bytes = *bytes;
      workspaces_.push_back({step, static_cast<int>(buffers_.size())});
      const int32_t at = static_cast<int32_t>(i);
      buffers_.push_back({.space = space, .bytes = *bytes, .first_step = at, .last_step = at});
    }
    return absl::OkStatus();
  }

  // Memory that is last read in a step may be reused after the next barrier of the threads, or of
  // the ranks.
  void PlaceBuffers() {
    FreeFrom free_from;
    free_from.own.resize(uses_.num_steps(), 1);
    for (size_t i = 0; i < met_after_.size(); ++i) free_from.own[i] = met_after_[i] + 1;
    free_from.common = free_from.own;
    const std::vector<int32_t> ranks_met = RankMeetings(plan_, nodes_);
    for (size_t i = 0; i < ranks_met.size(); ++i) {
      free_from.common[i] = std::min(ranks_met[i] + 1, uses_.num_steps());
    }
    plan_.arenas = LayOutArenas(free_from, buffers_);
    for (Arena& arena : plan_.arenas) {
      const uint64_t scratch = scratch_bytes_[static_cast<size_t>(arena.space)];
      arena.bytes_per_thread = CheckedAlignUp(scratch, kSlotAlignment).value_or(scratch);
    }
  }

  void WriteSlots() {
    plan_.slots.clear();
    for (const auto& [place, assigned] : assigned_) {
      plan_.slots.push_back({.value = place.first,
                             .space = place.second,
                             .offset = buffers_[assigned.buffer].offset,
                             .bytes = assigned.bytes,
                             .first_step = assigned.first_step,
                             .last_step = assigned.last_step,
                             .alias_of = assigned.alias_of});
    }
    for (auto [step, buffer] : workspaces_) step->workspace_offset = buffers_[buffer].offset;
  }

  Graph& graph_;
  Plan plan_;
  std::vector<Node*> nodes_;
  PlanUses uses_;
  std::vector<int32_t> met_after_;  // by step
  std::unordered_map<const Node*, int32_t> position_;
  UnmetAccesses unmet_;  // to buffers
  int32_t last_collective_ = -1;
  std::vector<ArenaBuffer> buffers_;
  std::map<Place, Assigned> assigned_;
  std::vector<std::pair<Step*, int>> workspaces_;
  // Per thread: the most that any step in the space needs.
  std::array<uint64_t, kNumDevices> scratch_bytes_ = {};
};

class PlanMemory final : public Pass {
 public:
  std::string_view name() const override { return "plan-memory"; }
  Stage needs() const override { return Stage::kScheduled; }
  Stage gives() const override { return Stage::kPlanned; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext&) const override {
    ASSIGN_OR_RETURN(Plan plan, Planner(graph).Run());
    graph.set_plan(std::move(plan));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakePlanMemory() { return std::make_unique<PlanMemory>(); }

}  // namespace infer
