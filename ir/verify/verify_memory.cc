// SPDX-License-Identifier: Apache-2.0
//
// Checks the memory plan: every value has memory for as long as it is needed, and nothing else
// writes there.
//
// A value and its views form a group: one piece of memory with one content, in use from the first
// to the last step of any member. An op that works in place starts a new group in the memory of the
// group it ends. Two groups in use at the same step may not overlap, apart from that handover, and
// neither may a kernel's workspace. All are in use until the threads that run the step have passed
// a barrier; memory that ranks have in common, until the ranks have met (ir/graph/common_memory.h).
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/barriers.h"
#include "ir/graph/common_memory.h"
#include "ir/graph/plan.h"
#include "ir/verify/plan_lifetimes.h"
#include "ir/verify/used_memory.h"
#include "ir/verify/verifier.h"
#include "ir/verify/verify_plan.h"
#include "ir/verify/verify_slots.h"

namespace infer {
namespace {

// A slot, or the workspace of a step.
struct Group {
  const Slot* root = nullptr;  // null: a workspace
  Device space = Device::kCpu;
  MemoryRange range = {};
  int32_t first_step = 0;
  int32_t last_step = 0;
  int32_t taken_over = -1;  // the group whose memory this one takes over, or -1
  int32_t memory = -1;      // the first of the groups that pass their memory on to this one
  bool is_result = false;   // read after the last step
  bool is_common = false;   // in the memory of the ranks
};

class MemoryCheck {
 public:
  MemoryCheck(const NumberedGraph& numbered, const PlanLifetimes& lives, const PlanSlots& slots)
      : numbered_(numbered), plan_(*numbered.graph.plan()), lives_(lives), slots_(slots) {}

  absl::Status Run() {
    RETURN_IF_ERROR(BuildGroups());
    RETURN_IF_ERROR(AddWorkspaces());
    RETURN_IF_ERROR(CheckCommon());
    RETURN_IF_ERROR(Sweep());
    return VerifyThreads(numbered_, [this](Value value) { return MemoryIn(value); });
  }

 private:
  absl::Status Error(const Slot& slot, std::string_view what) const {
    return SlotError(numbered_, slot, what);
  }

  // Slots are in the order of their values, so that the slot an alias refers to already has its
  // group.
  absl::Status BuildGroups() {
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      const Slot& slot = plan_.slots[i];
      const Node& node = *numbered_.nodes[slot.value.node];
      bool view = node.op().traits.view && !IsCopied(slot);
      if (!slot.alias_of) {
        if (view) return Error(slot, "belongs to a view and must alias the value it shows");
        group_of_.push_back(NewGroup(slot));
        continue;
      }
      ASSIGN_OR_RETURN(int32_t aliased, FindAliased(slot, view));
      int32_t group = group_of_[aliased];
      if (view) {
        groups_[group].first_step = std::min(groups_[group].first_step, slot.first_step);
        groups_[group].last_step = std::max(groups_[group].last_step, slot.last_step);
        group_of_.push_back(group);
      } else {
        RETURN_IF_ERROR(CheckOtherInputs(slot, group));
        group_of_.push_back(NewGroup(slot));
        groups_.back().taken_over = group;
        groups_.back().memory = groups_[group].memory;
      }
    }
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      const Slot& slot = plan_.slots[i];
      if (slot.space != Device::kCpu) continue;  // results are read on the cpu
      groups_[group_of_[i]].is_result |= numbered_.graph.IsResult(numbered_.ValueOf(slot.value));
    }
    return absl::OkStatus();
  }

  bool IsCopied(const Slot& slot) const {
    const Node& node = *numbered_.nodes[slot.value.node];
    return !IsExecuted(node) || lives_.SpaceOf(slot.value.node) != slot.space;
  }

  int32_t NewGroup(const Slot& slot) {
    const int32_t number = static_cast<int32_t>(groups_.size());
    groups_.push_back({&slot,
                       slot.space,
                       {slot.offset, slot.offset + slot.bytes},
                       slot.first_step,
                       slot.last_step,
                       -1,
                       number,
                       false,
                       !slot.alias_of && IsCommon(*numbered_.nodes[slot.value.node], slot.space)});
    return number;
  }

  // A step may read the memory it overwrites in place only through that one input: through another,
  // such as an operand of a product, it would see results among the elements.
  absl::Status CheckOtherInputs(const Slot& slot, int32_t group) const {
    const Node& node = *numbered_.nodes[slot.value.node];
    for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
      const Value input = node.input(i);
      if (i == node.op().traits.in_place_input || !input.type().is_tensor()) continue;
      const int32_t found = slots_.Find(numbered_.RefOf(input), slot.space);
      if (found < 0 || groups_[group_of_[found]].memory != groups_[group].memory) continue;
      return Error(slot, StrCat("is an alias of ", DescribeNode(*input.node), ", which is input ",
                                i, " of the same node as well"));
    }
    return absl::OkStatus();
  }

  // A workspace must be as large as the kernel record says, and so must scratch memory.
  absl::Status AddWorkspaces() {
    for (int32_t at = 0; at < lives_.num_steps(); ++at) {
      const Step& step = *lives_.step(at).step;
      const Device space = lives_.step(at).space;
      if (step.node >= 0) RETURN_IF_ERROR(CheckNeeds(at, step, space));
      if (step.workspace_bytes == 0) {
        // The address is computed in any case.
        if (step.workspace_offset != 0) return WorkspaceError(at, "is empty but has an offset");
        continue;
      }
      if (step.workspace_offset % kSlotAlignment != 0) {
        return WorkspaceError(at, "is not aligned to 64 bytes");
      }
      if (!slots_.Inside(step.workspace_offset, step.workspace_bytes, space)) {
        return WorkspaceError(at, "lies outside the arena");
      }
      groups_.push_back({nullptr,
                         space,
                         {step.workspace_offset, step.workspace_offset + step.workspace_bytes},
                         at,
                         at,
                         -1,
                         -1,
                         false});
    }
    return absl::OkStatus();
  }

  absl::Status CheckNeeds(int32_t at, const Step& step, Device space) const {
    const Node& node = *numbered_.nodes[step.node];
    const KernelRecord& record = node.placement()->kernel_record;
    const uint64_t scratch = slots_.ScratchBytes(space);
    if (record.workspace_bytes <= step.workspace_bytes && record.scratch_bytes <= scratch) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        StrCat("step ", at, ": ", DescribeNode(node), " needs ", record.workspace_bytes,
               " bytes of workspace and ", record.scratch_bytes, " for each thread; ",
               step.workspace_bytes, " and ", scratch, " were planned"));
  }

  absl::Status WorkspaceError(int32_t at, std::string_view what) const {
    const Step& step = *lives_.step(at).step;
    return absl::InvalidArgumentError(StrCat("step ", at, ": its workspace of bytes ",
                                             step.workspace_offset, "+", step.workspace_bytes, " ",
                                             what));
  }

  // For VerifyThreads: a group that takes over memory lies in the same memory as the group before
  // it.
  UnmetAccesses::Memory MemoryIn(Value value) const {
    const Value root = MemoryOf(value);
    if (!root.type().is_tensor()) return {root.node, -1};
    // Threads share steps on the cpu only.
    return {nullptr, groups_[group_of_[slots_.Find(numbered_.RefOf(value), Device::kCpu)]].memory};
  }

  // Finds the slot that `slot` claims to alias, and checks the claim.
  absl::StatusOr<int32_t> FindAliased(const Slot& slot, bool view) const {
    const Node& node = *numbered_.nodes[slot.value.node];
    int input = view ? 0 : node.op().traits.in_place_input;
    if (slot.value.result != 0 || input < 0 || IsCopied(slot)) {
      return Error(slot, "is an alias, but the op is not a view and does not work in place");
    }
    if (numbered_.RefOf(node.input(input)) != *slot.alias_of) {
      return Error(slot,
                   StrCat("may be an alias of ", DescribeNode(*node.input(input).node), " only"));
    }
    int32_t found = slots_.Find(*slot.alias_of, slot.space);
    if (found < 0) {
      return Error(slot, StrCat("is an alias of ", DescribeNode(*node.input(input).node),
                                ", which has no slot there"));
    }
    const Slot& aliased = plan_.slots[found];
    if (slot.offset != aliased.offset || slot.bytes > aliased.bytes) {
      return Error(slot, StrCat("is an alias of ", DescribeValue(numbered_, aliased.value),
                                " but lies in other memory"));
    }
    return found;
  }

  // Where all ranks write, nothing may lie that each computes for itself.
  absl::Status CheckCommon() const {
    const uint64_t common = CommonBytes(plan_, numbered_.nodes);
    for (const Group& group : groups_) {
      if (group.is_common || group.space != Device::kCpu || group.range.begin >= common) continue;
      constexpr std::string_view kWhere = "lies before the end of the results of collectives";
      return group.root == nullptr ? WorkspaceError(group.first_step, kWhere)
                                   : Error(*group.root, kWhere);
    }
    return absl::OkStatus();
  }

  absl::Status Sweep() {
    std::vector<int32_t> starts(groups_.size());
    std::iota(starts.begin(), starts.end(), 0);
    std::vector<int32_t> ends = starts;
    const std::vector<int32_t> meetings = MeetingSteps(plan_, numbered_.nodes);
    const std::vector<int32_t> rank_meetings = RankMeetings(plan_, numbered_.nodes);
    auto met = [&](int32_t group) {
      const int32_t last = groups_[group].last_step;
      if (last >= static_cast<int32_t>(meetings.size())) return last;
      return groups_[group].is_common ? rank_meetings[last] : meetings[last];
    };
    // The number breaks ties, so that the first error found is always the same.
    std::sort(starts.begin(), starts.end(), [&](int32_t a, int32_t b) {
      return std::pair(groups_[a].first_step, a) < std::pair(groups_[b].first_step, b);
    });
    std::sort(ends.begin(), ends.end(),
              [&](int32_t a, int32_t b) { return std::pair(met(a), a) < std::pair(met(b), b); });
    auto start = starts.begin();
    auto end = ends.begin();
    for (int32_t at = 0; at < std::max<int64_t>(lives_.num_steps(), 1); ++at) {
      auto first = start;
      while (start != starts.end() && groups_[*start].first_step == at) ++start;
      RETURN_IF_ERROR(SweepStep({first, start}));
      for (; end != ends.end() && met(*end) == at; ++end) Release(*end);
    }
    return absl::OkStatus();
  }

  // First the groups with their own memory, while everything that the step reads is still in use;
  // then those that take memory over.
  absl::Status SweepStep(std::span<const int32_t> starting) {
    for (int32_t group : starting) {
      if (groups_[group].taken_over < 0) RETURN_IF_ERROR(Occupy(group));
    }
    for (int32_t group : starting) {
      if (groups_[group].taken_over >= 0) RETURN_IF_ERROR(TakeOver(group));
    }
    return absl::OkStatus();
  }

  absl::Status Occupy(int32_t group) {
    const MemoryRange& range = groups_[group].range;
    UsedMemory& used = UsedIn(groups_[group].space);
    if (int32_t other = used.FindOverlap(range); other >= 0) return Overlap(group, other);
    used.Add(range, group);
    return absl::OkStatus();
  }

  absl::Status Overlap(int32_t group, int32_t other) const {
    const Slot* slot = groups_[group].root;
    if (slot == nullptr) return WorkspaceError(groups_[group].first_step, "overlaps a slot in use");
    const Group& there = groups_[other];
    return Error(*slot,
                 StrCat("bytes ", slot->offset, "+", slot->bytes, " overlap ",
                        there.root == nullptr
                            ? StrCat("the workspace of step ", there.first_step)
                            : StrCat("those of ", DescribeValue(numbered_, there.root->value)),
                        " in step ", groups_[group].first_step));
  }

  absl::Status TakeOver(int32_t group) {
    const Slot& slot = *groups_[group].root;
    const Group& old = groups_[groups_[group].taken_over];
    int32_t defined = lives_.Of(slot.value, slot.space).first;
    if (groups_[group].first_step != defined || old.last_step != defined) {
      return Error(slot,
                   StrCat("takes over the memory of ", DescribeValue(numbered_, old.root->value),
                          " in step ", groups_[group].first_step,
                          ", which that value or a view of it needs until step ", old.last_step));
    }
    if (old.is_result) {
      return Error(slot,
                   StrCat("takes over the memory of ", DescribeValue(numbered_, old.root->value),
                          ", which holds a result of the graph"));
    }
    UsedMemory& used = UsedIn(slot.space);
    used.Remove(old.range.begin);
    used.Add(groups_[group].range, group);
    return absl::OkStatus();
  }

  // A group that has passed its memory on is no longer listed under its own number.
  void Release(int32_t group) {
    UsedMemory& used = UsedIn(groups_[group].space);
    if (used.FindOverlap(groups_[group].range) == group) used.Remove(groups_[group].range.begin);
  }

  UsedMemory& UsedIn(Device space) { return used_[static_cast<size_t>(space)]; }

  const NumberedGraph& numbered_;
  const Plan& plan_;
  const PlanLifetimes& lives_;
  const PlanSlots& slots_;
  std::vector<Group> groups_;
  std::vector<int32_t> group_of_;             // by slot
  std::array<UsedMemory, kNumDevices> used_;  // by space
};

}  // namespace

absl::Status VerifyMemory(const NumberedGraph& numbered) {
  const PlanLifetimes lives(numbered);
  PlanSlots slots(numbered, lives);
  RETURN_IF_ERROR(slots.Verify());
  return MemoryCheck(numbered, lives, slots).Run();
}

}  // namespace infer
