// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verify_slots.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

// Far more memory than any machine has, and far below the point where sums of offsets wrap.
constexpr uint64_t kMaxArenaBytes = uint64_t{1} << 44;

}  // namespace

std::string DescribeValue(const NumberedGraph& numbered, ValueRef ref) {
  std::string text = DescribeNode(*numbered.nodes[ref.node]);
  return ref.result == 0 ? text : StrCat("result ", ref.result, " of ", text);
}

absl::Status SlotError(const NumberedGraph& numbered, const Slot& slot, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("the slot of ", DescribeValue(numbered, slot.value),
                                           " on ", Name(slot.space), ": ", what));
}

absl::Status PlanSlots::Verify() {
  RETURN_IF_ERROR(VerifyArenas());
  RETURN_IF_ERROR(VerifyEach());
  return VerifyEveryValueHasOne();
}

absl::Status PlanSlots::VerifyArenas() {
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
    // Each thread's part begins where that of the thread before it ends.
    if (arena.bytes_per_thread % kSlotAlignment != 0) {
      return absl::InvalidArgumentError(
          StrCat("the arena of ", Name(arena.space), " has ", arena.bytes_per_thread,
                 " bytes per thread, which is not a multiple of ", kSlotAlignment));
    }
  }
  return absl::OkStatus();
}

bool PlanSlots::Inside(uint64_t offset, uint64_t bytes, Device space) const {
  auto arena = arenas_.find(space);
  if (arena == arenas_.end()) return false;
  std::optional<uint64_t> end = CheckedAdd(offset, bytes);
  return end && *end <= arena->second->bytes;
}

uint64_t PlanSlots::ScratchBytes(Device space) const {
  auto arena = arenas_.find(space);
  return arena == arenas_.end() ? 0 : arena->second->bytes_per_thread;
}

absl::Status PlanSlots::VerifyEach() {
  for (size_t i = 0; i < plan_.slots.size(); ++i) {
    const Slot& slot = plan_.slots[i];
    if (!numbered_.Contains(slot.value)) {
      return absl::InvalidArgumentError(StrCat("slot ", i, " is for a value that does not exist"));
    }
    int32_t& slot_there = slot_of_[lives_.PlaceOf(slot.value, slot.space)];
    if (slot_there >= 0) return Error(slot, "there is more than one");
    slot_there = static_cast<int32_t>(i);
    if (i > 0 && std::tie(slot.value, slot.space) <
                     std::tie(plan_.slots[i - 1].value, plan_.slots[i - 1].space)) {
      return Error(slot, "is out of order; slots must be in the order of their values");
    }
    RETURN_IF_ERROR(VerifyRange(slot));
    RETURN_IF_ERROR(VerifyLife(slot));
  }
  return absl::OkStatus();
}

absl::Status PlanSlots::VerifyRange(const Slot& slot) const {
  const ValueType& type = numbered_.ValueOf(slot.value).type();
  if (!type.is_tensor()) return Error(slot, StrCat("a ", ToString(type), " must not have a slot"));
  if (slot.offset % kSlotAlignment != 0) {
    return Error(slot, StrCat("offset ", slot.offset, " is not a multiple of ", kSlotAlignment));
  }
  std::optional<uint64_t> bytes = BytesAt(type.tensor, numbered_.graph.symbols().Highest());
  if (!bytes || slot.bytes < *bytes) {
    return Error(slot, StrCat("has ", slot.bytes, " bytes, but ", ToString(type), " takes up to ",
                              bytes.value_or(0)));
  }
  if (!Inside(slot.offset, slot.bytes, slot.space)) {
    return Error(slot, StrCat("bytes ", slot.offset, "+", slot.bytes, " lie outside the arena"));
  }
  return absl::OkStatus();
}

absl::Status PlanSlots::VerifyLife(const Slot& slot) const {
  const Lifetime& life = lives_.Of(slot.value, slot.space);
  if (!life.exists()) return Error(slot, "the value never exists in this space");
  if (slot.first_step < 0 || slot.last_step > std::max<int64_t>(lives_.num_steps() - 1, 0)) {
    return Error(slot, StrCat("is in use in steps ", slot.first_step, "..", slot.last_step, " of ",
                              lives_.num_steps()));
  }
  if (slot.first_step > life.first || slot.last_step < life.last) {
    return Error(slot, StrCat("is in use in steps ", slot.first_step, "..", slot.last_step,
                              ", but the value is needed in ", life.first, "..", life.last));
  }
  return absl::OkStatus();
}

absl::Status PlanSlots::VerifyEveryValueHasOne() const {
  for (size_t at = 0; at < numbered_.nodes.size(); ++at) {
    for (int32_t i = 0; i < numbered_.nodes[at]->num_results(); ++i) {
      for (Device device : kAllDevices) {
        ValueRef value = {static_cast<int32_t>(at), i};
        if (!lives_.Of(value, device).exists() || Find(value, device) >= 0) continue;
        return absl::InvalidArgumentError(
            StrCat(DescribeValue(numbered_, value), ": has no slot on ", Name(device)));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
