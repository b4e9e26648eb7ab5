// SPDX-License-Identifier: Apache-2.0
//
// Gives every tensor value that is not a weight an offset in the arena of the space it is computed
// in: one arena for each space, the cpu's first.
//
// 1. Lifetimes. A value lives from the step that computes it to the last step that reads it. Inputs
//    of the graph live from the first step on; its results are read when the last step is over.
//    Sizes are those at the upper ends of T, R and S, so one plan serves every call of the regime.
// 2. Buffers. A view shares the buffer of its input. So does the result of an op that may work in
//    place, if that input lies in the same space, has the same size, is not read again and is no
//    result of the graph. All other values get a buffer.
// 3. Offsets. Walking the steps in order, buffers whose last reader has passed are given back and
//    neighbouring gaps are joined; a new buffer takes the smallest gap that holds it, or the end of
//    the arena. Transformer layers repeat, so gaps of one layer fit the next exactly.
//
// The lower bound that is reported, the largest sum of buffers alive at one step, is what no
// arrangement can go below.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/barriers.h"
#include "ir/verify/verifier.h"
#include "passes/arena_layout.h"
#include "passes/passes.h"

namespace infer {
namespace {

class Planner {
 public:
  Planner(Graph& graph, const KernelCatalog& catalog)
      : graph_(graph), catalog_(catalog), plan_(*graph.plan()), nodes_(graph.nodes()) {}

  absl::StatusOr<Plan> Run() {
    NumberSteps();
    RETURN_IF_ERROR(AssignBuffers());
    RETURN_IF_ERROR(AddWorkspaces());
    PlaceBuffers();
    WriteSlots();
    return std::move(plan_);
  }

 private:
  struct Assigned {
    ValueRef value;
    int buffer = -1;
    uint64_t bytes = 0;
    int32_t first_step = 0;
    int32_t last_step = 0;
    std::optional<ValueRef> alias_of;
  };

  void NumberSteps() {
    for (size_t i = 0; i < nodes_.size(); ++i) position_[nodes_[i]] = static_cast<int32_t>(i);
    for (const Segment& segment : plan_.segments) {
      for (const Step& step : segment.steps) {
        step_of_[nodes_[step.node]] = num_steps_++;
        space_of_[nodes_[step.node]] = segment.space();
      }
    }
    met_after_ = MeetingSteps(plan_);
    num_steps_ = std::max(num_steps_, 1);  // a graph that returns its inputs needs memory too
  }

  int32_t LastUse(Value value, int32_t first_step) const {
    int32_t last = first_step;
    for (const Use& use : graph_.uses(value)) {
      last = std::max(last, use.user == nullptr ? num_steps_ - 1 : step_of_.at(use.user));
    }
    return last;
  }

  absl::Status AssignBuffers() {
    for (Node* node : nodes_) {
      if (node->op().traits.weight || node->op().traits.state) continue;
      for (int i = 0; i < node->num_results(); ++i) {
        if (node->result(i).type.is_tensor()) RETURN_IF_ERROR(AssignBuffer(node, i));
      }
    }
    return absl::OkStatus();
  }

  // The verifier has seen that every type at its largest stays below 2^40 bytes.
  uint64_t SlotBytes(const ValueType& type) const {
    return *CheckedAlignUp(*BytesAt(type.tensor, graph_.symbols().Highest()), kSlotAlignment);
  }

  absl::Status AssignBuffer(Node* node, int result) {
    if (node->op().traits.view && BufferOf(node->input(0)) < 0) {
      return absl::InvalidArgumentError(StrCat(
          "node ", DescribeNode(*node), ": is a view of ", DescribeNode(*node->input(0).node),
          ", which has no memory in the arena; copy it first"));
    }
    Assigned assigned;
    assigned.value = {position_.at(node), result};
    assigned.bytes = SlotBytes(node->result(result).type);
    auto step = step_of_.find(node);
    assigned.first_step = step == step_of_.end() ? 0 : step->second;
    assigned.last_step = LastUse(node->output(result), assigned.first_step);
    int shared = SharedInput(*node, result, assigned);
    if (shared >= 0) {
      Value input = node->input(shared);
      assigned.alias_of = ValueRef{position_.at(input.node), input.index};
      assigned.buffer = assigned_.at(index_.at(*assigned.alias_of)).buffer;
      ArenaBuffer& buffer = buffers_[assigned.buffer];
      buffer.last_step = std::max(buffer.last_step, assigned.last_step);
    } else {
      assigned.buffer = static_cast<int>(buffers_.size());
      buffers_.push_back(
          {SpaceOf(*node), assigned.bytes, assigned.first_step, assigned.last_step, false, 0});
    }
    buffers_[assigned.buffer].holds_result |= graph_.IsResult(node->output(result));
    index_[assigned.value] = assigned_.size();
    assigned_.push_back(assigned);
    return absl::OkStatus();
  }

  // The input whose buffer the result takes over, or -1.
  int SharedInput(const Node& node, int result, const Assigned& assigned) const {
    if (result != 0) return -1;
    if (node.op().traits.view) return 0;
    int input = node.op().traits.in_place_input;
    int buffer = input < 0 ? -1 : BufferOf(node.input(input));
    if (buffer < 0 || buffers_[buffer].holds_result) return -1;
    if (buffers_[buffer].space != SpaceOf(node)) return -1;
    if (buffers_[buffer].bytes != assigned.bytes) return -1;
    if (buffers_[buffer].last_step > assigned.first_step) return -1;
    for (int other = 0; other < static_cast<int>(node.inputs().size()); ++other) {
      if (other != input && BufferOf(node.input(other)) == buffer) return -1;
    }
    return input;
  }

  // Inputs arrive in the cpu's.
  Device SpaceOf(const Node& node) const {
    auto it = space_of_.find(&node);
    return it == space_of_.end() ? Device::kCpu : it->second;
  }

  // -1 for weights, caches and the batch.
  int BufferOf(Value value) const {
    auto it = index_.find({position_.at(value.node), value.index});
    return it == index_.end() ? -1 : assigned_[it->second].buffer;
  }

  // A kernel's scratch memory is a buffer that lives for one step.
  absl::Status AddWorkspaces() {
    int32_t number = 0;
    for (Segment& segment : plan_.segments) {
      for (Step& step : segment.steps) {
        const Node& node = *nodes_[step.node];
        KernelAnswer answer = catalog_.Find(node, node.placement()->target, graph_.symbols());
        if (answer.kernel) scratch_bytes_ = std::max(scratch_bytes_, answer.kernel->scratch_bytes);
        if (answer.kernel && answer.kernel->workspace_bytes > 0) {
          std::optional<uint64_t> bytes =
              CheckedAlignUp(answer.kernel->workspace_bytes, kSlotAlignment);
          if (!bytes) {
            return absl::ResourceExhaustedError(
                StrCat("node ", DescribeNode(node), ": kernel ", answer.kernel->name, " wants ",
                       answer.kernel->workspace_bytes, " bytes of scratch memory"));
          }
          step.workspace_bytes = *bytes;
          workspaces_.push_back({&step, static_cast<int>(buffers_.size())});
          buffers_.push_back({segment.space(), *bytes, number, number, false, 0});
        }
        ++number;
      }
    }
    return absl::OkStatus();
  }

  // The step after which memory that is last read in `step` may be used again.
  int32_t Met(int32_t step) const {
    return step < static_cast<int32_t>(met_after_.size()) ? met_after_[step] : step;
  }

  void PlaceBuffers() {
    std::vector<int32_t> free_from(num_steps_);
    for (int32_t step = 0; step < num_steps_; ++step) free_from[step] = Met(step) + 1;
    plan_.arenas = LayOutArenas(free_from, buffers_);
    plan_.arenas[0].bytes_per_thread =
        CheckedAlignUp(scratch_bytes_, kSlotAlignment).value_or(scratch_bytes_);
  }

  void WriteSlots() {
    plan_.slots.clear();
    for (const Assigned& assigned : assigned_) {
      plan_.slots.push_back({.value = assigned.value,
                             .space = buffers_[assigned.buffer].space,
                             .offset = buffers_[assigned.buffer].offset,
                             .bytes = assigned.bytes,
                             .per_thread = false,
                             .first_step = assigned.first_step,
                             .last_step = assigned.last_step,
                             .alias_of = assigned.alias_of});
    }
    for (auto [step, buffer] : workspaces_) step->workspace_offset = buffers_[buffer].offset;
  }

  Graph& graph_;
  const KernelCatalog& catalog_;
  Plan plan_;
  std::vector<Node*> nodes_;
  int32_t num_steps_ = 0;
  std::unordered_map<const Node*, int32_t> position_;
  std::unordered_map<const Node*, int32_t> step_of_;
  std::unordered_map<const Node*, Device> space_of_;  // of the nodes that have a step
  std::vector<int32_t> met_after_;                    // by step
  std::vector<ArenaBuffer> buffers_;
  std::vector<Assigned> assigned_;
  std::map<ValueRef, size_t> index_;  // into assigned_
  std::vector<std::pair<Step*, int>> workspaces_;
  uint64_t scratch_bytes_ = 0;  // of a thread: the most that a step wants
};

class PlanMemory final : public Pass {
 public:
  std::string_view name() const override { return "plan-memory"; }
  Stage needs() const override { return Stage::kScheduled; }
  Stage gives() const override { return Stage::kPlanned; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    ASSIGN_OR_RETURN(Plan plan, Planner(graph, *context.catalog).Run());
    graph.set_plan(std::move(plan));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakePlanMemory() { return std::make_unique<PlanMemory>(); }

}  // namespace infer
