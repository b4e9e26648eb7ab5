// SPDX-License-Identifier: Apache-2.0
//
// The memory plan: every value has room for as long as it is needed, and nothing else writes there.
//
// A value and the views of it form a group: one piece of memory with one content, in use from the
// first to the last step of any member. An op that works in place starts a new group in the memory
// of the group it ends. Two groups in use at one step may not overlap, apart from that hand-over.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/barriers.h"
#include "ir/verify/plan_lifetimes.h"
#include "ir/verify/used_memory.h"
#include "ir/verify/verifier.h"
#include "ir/verify/verify_plan.h"
#include "ir/verify/verify_slots.h"

namespace infer {
namespace {

struct Group {
  const Slot* root = nullptr;
  int32_t first_step = 0;
  int32_t last_step = 0;
  int32_t taken_over = -1;  // the group whose memory this one takes over, or -1
  bool is_result = false;   // read when the last step is over
};

class MemoryCheck {
 public:
  MemoryCheck(const NumberedGraph& numbered, const PlanLifetimes& lives, const PlanSlots& slots)
      : numbered_(numbered), plan_(*numbered.graph.plan()), lives_(lives), slots_(slots) {}

  absl::Status Run() {
    RETURN_IF_ERROR(BuildGroups());
    return Sweep();
  }

 private:
  absl::Status Error(const Slot& slot, std::string_view what) const {
    return SlotError(numbered_, slot, what);
  }

  // Slots come in the order of their values, so that what a slot aliases has its group already.
  absl::Status BuildGroups() {
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      const Slot& slot = plan_.slots[i];
      const Node& node = *numbered_.nodes[slot.value.node];
      bool view = node.op().traits.view && !IsCopied(slot);
      if (!slot.alias_of) {
        if (view) return Error(slot, "is of a view and must alias what it shows");
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
        group_of_.push_back(NewGroup(slot));
        groups_.back().taken_over = group;
      }
    }
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      groups_[group_of_[i]].is_result |=
          numbered_.graph.IsResult(numbered_.ValueOf(plan_.slots[i].value));
    }
    return absl::OkStatus();
  }

  bool IsCopied(const Slot& slot) const {
    const Node& node = *numbered_.nodes[slot.value.node];
    return !IsExecuted(node) || lives_.SpaceOf(slot.value.node) != slot.space;
  }

  int32_t NewGroup(const Slot& slot) {
    groups_.push_back({&slot, slot.first_step, slot.last_step, -1, false});
    return static_cast<int32_t>(groups_.size()) - 1;
  }

  // The slot that `slot` rightly says to be an alias of.
  absl::StatusOr<int32_t> FindAliased(const Slot& slot, bool view) const {
    const Node& node = *numbered_.nodes[slot.value.node];
    int input = view ? 0 : node.op().traits.in_place_input;
    if (slot.value.result != 0 || input < 0 || IsCopied(slot)) {
      return Error(slot, "is an alias, but the op is no view and does not work in place");
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
    if (slot.offset != aliased.offset || slot.bytes > aliased.bytes ||
        slot.per_thread != aliased.per_thread) {
      return Error(slot, StrCat("is an alias of ", DescribeValue(numbered_, aliased.value),
                                " but not in the same memory"));
    }
    return found;
  }

  absl::Status Sweep() {
    std::vector<int32_t> starts(groups_.size());
    std::iota(starts.begin(), starts.end(), 0);
    std::vector<int32_t> ends = starts;
    const std::vector<int32_t> meetings = MeetingSteps(plan_);
    auto met = [&](int32_t group) {
      const int32_t last = groups_[group].last_step;
      return last < static_cast<int32_t>(meetings.size()) ? meetings[last] : last;
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
      RETURN_IF_ERROR(SweepStep(at, {first, start}));
      for (; end != ends.end() && met(*end) == at; ++end) Release(*end);
    }
    return absl::OkStatus();
  }

  // Memory of its own first, while what the step reads is all still in use; hand-overs last.
  absl::Status SweepStep(int32_t at, std::span<const int32_t> starting) {
    for (int32_t group : starting) {
      if (groups_[group].taken_over < 0) RETURN_IF_ERROR(Occupy(group));
    }
    if (at < lives_.num_steps()) RETURN_IF_ERROR(CheckWorkspace(at));
    for (int32_t group : starting) {
      if (groups_[group].taken_over >= 0) RETURN_IF_ERROR(TakeOver(group));
    }
    return absl::OkStatus();
  }

  static SpaceKey KeyOf(const Slot& slot) { return {slot.space, slot.per_thread}; }
  static MemoryRange RangeOf(const Slot& slot) { return {slot.offset, slot.offset + slot.bytes}; }

  absl::Status Occupy(int32_t group) {
    const Slot& slot = *groups_[group].root;
    UsedMemory& used = used_[KeyOf(slot)];
    if (int32_t other = used.FindOverlap(RangeOf(slot)); other >= 0) {
      return Error(slot, StrCat("bytes ", slot.offset, "+", slot.bytes, " overlap those of ",
                                DescribeValue(numbered_, groups_[other].root->value), " in step ",
                                groups_[group].first_step));
    }
    used.Add(RangeOf(slot), group);
    return absl::OkStatus();
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
    UsedMemory& used = used_[KeyOf(slot)];
    used.Remove(old.root->offset);
    used.Add(RangeOf(slot), group);
    return absl::OkStatus();
  }

  // A group that handed its memory over is no longer among the used under its own number.
  void Release(int32_t group) {
    const Slot& slot = *groups_[group].root;
    UsedMemory& used = used_[KeyOf(slot)];
    if (used.FindOverlap(RangeOf(slot)) == group) used.Remove(slot.offset);
  }

  absl::Status CheckWorkspace(int32_t at) {
    const Step& step = *lives_.step(at).step;
    if (step.workspace_bytes == 0) return absl::OkStatus();
    SpaceKey key = {lives_.step(at).space, false};
    std::string_view problem;
    if (step.workspace_offset % kSlotAlignment != 0) {
      problem = "is not aligned to 64 bytes";
    } else if (!slots_.Inside(step.workspace_offset, step.workspace_bytes, key)) {
      problem = "lies outside the arena";
    } else if (used_[key].FindOverlap(
                   {step.workspace_offset, step.workspace_offset + step.workspace_bytes}) >= 0) {
      problem = "overlaps a slot in use";
    }
    if (problem.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(StrCat("step ", at, ": its workspace of bytes ",
                                             step.workspace_offset, "+", step.workspace_bytes, " ",
                                             problem));
  }

  const NumberedGraph& numbered_;
  const Plan& plan_;
  const PlanLifetimes& lives_;
  const PlanSlots& slots_;
  std::vector<Group> groups_;
  std::vector<int32_t> group_of_;  // by slot
  std::map<SpaceKey, UsedMemory> used_;
};

}  // namespace

absl::Status VerifyMemory(const NumberedGraph& numbered) {
  const PlanLifetimes lives(numbered);
  PlanSlots slots(numbered, lives);
  RETURN_IF_ERROR(slots.Verify());
  return MemoryCheck(numbered, lives, slots).Run();
}

}  // namespace infer
