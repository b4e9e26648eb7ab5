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
#include <tuple>

#include "ir/checked_math.h"
#include "ir/slices.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "ir/verify_plan.h"

namespace infer {
namespace {

// Far above the memory of any machine, far below where sums of offsets wrap.
constexpr uint64_t kMaxArenaBytes = uint64_t{1} << 44;

struct MemoryRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// A part of the memory in which offsets are counted from 0.
struct SpaceKey {
  Device space;
  bool per_thread;
  auto operator<=>(const SpaceKey&) const = default;
};

struct Group {
  const Slot* root = nullptr;
  int32_t first_step = 0;
  int32_t last_step = 0;
  int32_t taken_over = -1;  // the group whose memory this one takes over, or -1
  bool is_result = false;   // read when the last step is over
};

// The memory in use at a step, by offset. Ranges in it are disjoint.
class UsedMemory {
 public:
  struct Entry {
    uint64_t end;
    int32_t group;
  };

  // The group that overlaps the range, or -1.
  int32_t FindOverlap(MemoryRange range) const {
    auto after = entries_.lower_bound(range.end);
    if (after == entries_.begin()) return -1;
    const auto& [begin, entry] = *std::prev(after);
    return entry.end > range.begin ? entry.group : -1;
  }
  void Add(MemoryRange range, int32_t group) { entries_[range.begin] = {range.end, group}; }
  void Remove(uint64_t begin) { entries_.erase(begin); }

 private:
  std::map<uint64_t, Entry> entries_;
};

class MemoryCheck {
 public:
  explicit MemoryCheck(const NumberedGraph& numbered)
      : numbered_(numbered),
        plan_(*numbered.graph.plan()),
        space_of_(numbered.nodes.size(), Device::kCpu),
        lives_(numbered.num_values() * kSpaces),
        slot_of_(numbered.num_values() * kSpaces, -1) {}

  absl::Status Run() {
    NumberSteps();
    RETURN_IF_ERROR(CheckArenas());
    RETURN_IF_ERROR(CheckSlots());
    RETURN_IF_ERROR(CheckEveryValueHasSlots());
    RETURN_IF_ERROR(BuildGroups());
    return Sweep();
  }

 private:
  struct StepInfo {
    const Step* step;
    Device space;
  };
  // When a value comes to be in a space and when it is last read there.
  struct Lifetime {
    int32_t first = -1;
    int32_t last = -1;
    bool per_thread = false;
    bool exists() const { return first >= 0; }
  };

  // Values by space, in tables: a map of a graph with 60,000 values took most of the check's time.
  static constexpr size_t kSpaces = 2;
  size_t PlaceOf(ValueRef value, Device device) const {
    return numbered_.IndexOf(value) * kSpaces + static_cast<size_t>(device);
  }
  Lifetime& LifeOf(ValueRef value, Device device) { return lives_[PlaceOf(value, device)]; }
  const Lifetime& LifeOf(ValueRef value, Device device) const {
    return lives_[PlaceOf(value, device)];
  }

  absl::Status Error(const Slot& slot, std::string_view what) const {
    return absl::InvalidArgumentError(
        StrCat("the slot of ", Describe(slot.value), " on ", Name(slot.space), ": ", what));
  }

  std::string Describe(ValueRef ref) const {
    std::string text = DescribeNode(*numbered_.nodes[ref.node]);
    return ref.result == 0 ? text : StrCat("result ", ref.result, " of ", text);
  }

  void NumberSteps() {
    for (const Segment& segment : plan_.segments) {
      for (const Step& step : segment.steps) steps_.push_back({&step, segment.space()});
    }
    int32_t end = std::max<int32_t>(static_cast<int32_t>(steps_.size()) - 1, 0);
    for (Node* input : numbered_.graph.inputs()) AddLife(input->output(), Device::kCpu, 0, false);
    for (size_t i = 0; i < steps_.size(); ++i) NumberStep(static_cast<int32_t>(i));
    for (Value result : numbered_.graph.results()) {
      for (Device device : {Device::kCpu, Device::kMetal}) ReadAt(result, device, end);
    }
  }

  void NumberStep(int32_t at) {
    const Step& step = *steps_[at].step;
    if (step.copy) {
      Value value = numbered_.ValueOf(step.copy->value);
      ReadAt(value, step.copy->from, at);
      AddLife(value, step.copy->to, at, false);
      return;
    }
    Node* node = numbered_.nodes[step.node];
    for (Value input : node->inputs()) ReadAt(input, steps_[at].space, at);
    space_of_[step.node] = steps_[at].space;
    for (int i = 0; i < node->num_results(); ++i) {
      AddLife(node->output(i), steps_[at].space, at, step.mode == StepMode::kReplicated);
    }
  }

  void AddLife(Value value, Device device, int32_t at, bool per_thread) {
    if (value.type().is_tensor()) LifeOf(numbered_.RefOf(value), device) = {at, at, per_thread};
  }
  void ReadAt(Value value, Device device, int32_t at) {
    Lifetime& life = LifeOf(numbered_.RefOf(value), device);
    if (life.exists()) life.last = std::max(life.last, at);
  }

  absl::Status CheckArenas() {
    for (const Arena& arena : plan_.arenas) {
      if (!arenas_.emplace(arena.space, &arena).second) {
        return absl::InvalidArgumentError(StrCat(Name(arena.space), " has two arenas"));
      }
      if (arena.bytes > kMaxArenaBytes || arena.bytes_per_thread > kMaxArenaBytes ||
          arena.lower_bound > arena.bytes) {
        return absl::InvalidArgumentError(
            StrCat("the arena of ", Name(arena.space), " has ", arena.bytes, " bytes and ",
                   arena.bytes_per_thread, " per thread with a lower bound of ", arena.lower_bound,
                   ", expected lower bound <= bytes <= 2^44"));
      }
    }
    return absl::OkStatus();
  }

  // Whether the range lies in the space's arena.
  bool Inside(uint64_t offset, uint64_t bytes, SpaceKey key) const {
    auto arena = arenas_.find(key.space);
    if (arena == arenas_.end()) return false;
    std::optional<uint64_t> end = CheckedAdd(offset, bytes);
    return end && *end <= (key.per_thread ? arena->second->bytes_per_thread : arena->second->bytes);
  }

  absl::Status CheckSlots() {
    for (size_t i = 0; i < plan_.slots.size(); ++i) {
      const Slot& slot = plan_.slots[i];
      if (!numbered_.Contains(slot.value)) {
        return absl::InvalidArgumentError(
            StrCat("slot ", i, " is for a value that does not exist"));
      }
      int32_t& slot_there = slot_of_[PlaceOf(slot.value, slot.space)];
      if (slot_there >= 0) return Error(slot, "is not the only one");
      slot_there = static_cast<int32_t>(i);
      if (i > 0 && std::tie(slot.value, slot.space) <
                       std::tie(plan_.slots[i - 1].value, plan_.slots[i - 1].space)) {
        return Error(slot, "stands after a later value's");
      }
      RETURN_IF_ERROR(CheckSlotRange(slot));
      RETURN_IF_ERROR(CheckSlotLife(slot));
    }
    return absl::OkStatus();
  }

  absl::Status CheckSlotRange(const Slot& slot) const {
    const ValueType& type = numbered_.ValueOf(slot.value).type();
    if (!type.is_tensor()) return Error(slot, StrCat("a ", ToString(type), " has none"));
    if (slot.offset % kSlotAlignment != 0) {
      return Error(slot, StrCat("offset ", slot.offset, " is no multiple of ", kSlotAlignment));
    }
    std::optional<uint64_t> bytes = BytesAt(type.tensor, numbered_.graph.symbols().Highest());
    if (!bytes || slot.bytes < *bytes) {
      return Error(slot, StrCat("has ", slot.bytes, " bytes, ", ToString(type), " takes up to ",
                                bytes.value_or(0)));
    }
    if (!Inside(slot.offset, slot.bytes, {slot.space, slot.per_thread})) {
      return Error(slot, StrCat("bytes ", slot.offset, "+", slot.bytes, " lie outside the arena"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckSlotLife(const Slot& slot) const {
    const Lifetime& life = LifeOf(slot.value, slot.space);
    if (!life.exists()) return Error(slot, "the value never gets there");
    if (slot.per_thread != life.per_thread) {
      return Error(slot, "must be per thread exactly if its step is replicated");
    }
    if (slot.first_step < 0 || slot.last_step > std::max<int64_t>(Steps() - 1, 0)) {
      return Error(slot, StrCat("is in use in steps ", slot.first_step, "..", slot.last_step,
                                " of ", Steps()));
    }
    if (slot.first_step > life.first || slot.last_step < life.last) {
      return Error(slot, StrCat("is in use in steps ", slot.first_step, "..", slot.last_step,
                                ", the value in ", life.first, "..", life.last));
    }
    return absl::OkStatus();
  }

  int64_t Steps() const { return static_cast<int64_t>(steps_.size()); }

  absl::Status CheckEveryValueHasSlots() const {
    for (size_t at = 0; at < numbered_.nodes.size(); ++at) {
      for (int32_t i = 0; i < numbered_.nodes[at]->num_results(); ++i) {
        for (Device device : {Device::kCpu, Device::kMetal}) {
          ValueRef value = {static_cast<int32_t>(at), i};
          if (!LifeOf(value, device).exists() || slot_of_[PlaceOf(value, device)] >= 0) continue;
          return absl::InvalidArgumentError(
              StrCat(Describe(value), ": has no slot on ", Name(device)));
        }
      }
    }
    return absl::OkStatus();
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
    return !IsExecuted(node) || space_of_[slot.value.node] != slot.space;
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
    int32_t found = slot_of_[PlaceOf(*slot.alias_of, slot.space)];
    if (found < 0) {
      return Error(slot, StrCat("is an alias of ", DescribeNode(*node.input(input).node),
                                ", which has no slot there"));
    }
    const Slot& aliased = plan_.slots[found];
    if (slot.offset != aliased.offset || slot.bytes > aliased.bytes ||
        slot.per_thread != aliased.per_thread) {
      return Error(
          slot, StrCat("is an alias of ", Describe(aliased.value), " but not in the same memory"));
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
    for (int32_t at = 0; at < std::max<int64_t>(Steps(), 1); ++at) {
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
    if (at < Steps()) RETURN_IF_ERROR(CheckWorkspace(at));
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
                                Describe(groups_[other].root->value), " in step ",
                                groups_[group].first_step));
    }
    used.Add(RangeOf(slot), group);
    return absl::OkStatus();
  }

  absl::Status TakeOver(int32_t group) {
    const Slot& slot = *groups_[group].root;
    const Group& old = groups_[groups_[group].taken_over];
    int32_t defined = LifeOf(slot.value, slot.space).first;
    if (groups_[group].first_step != defined || old.last_step != defined) {
      return Error(slot,
                   StrCat("takes over the memory of ", Describe(old.root->value), " in step ",
                          groups_[group].first_step,
                          ", which that value or a view of it needs until step ", old.last_step));
    }
    if (old.is_result) {
      return Error(slot, StrCat("takes over the memory of ", Describe(old.root->value),
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
    const Step& step = *steps_[at].step;
    if (step.workspace_bytes == 0) return absl::OkStatus();
    SpaceKey key = {steps_[at].space, false};
    std::string_view problem;
    if (step.workspace_offset % kSlotAlignment != 0) {
      problem = "is not aligned to 64 bytes";
    } else if (!Inside(step.workspace_offset, step.workspace_bytes, key)) {
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
  std::vector<StepInfo> steps_;
  std::vector<Device> space_of_;  // by node position: where its step leaves the results
  std::vector<Lifetime> lives_;   // by place
  std::map<Device, const Arena*> arenas_;
  std::vector<int32_t> slot_of_;  // by place; -1: none
  std::vector<Group> groups_;
  std::vector<int32_t> group_of_;  // by slot
  std::map<SpaceKey, UsedMemory> used_;
};

}  // namespace

absl::Status VerifyMemory(const NumberedGraph& numbered) { return MemoryCheck(numbered).Run(); }

}  // namespace infer
