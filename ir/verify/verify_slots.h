// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph/plan.h"
#include "ir/verify/plan_lifetimes.h"
#include "ir/verify/verify_plan.h"

namespace infer {

// Returns "%x (linear)" or "result 1 of %x (linear)".
std::string DescribeValue(const NumberedGraph& numbered, ValueRef ref);
absl::Status SlotError(const NumberedGraph& numbered, const Slot& slot, std::string_view what);

// Checks each slot of a plan by itself: every value has one in every space where it exists, large
// enough, inside the arena and for as long as the value is needed.
class PlanSlots {
 public:
  // Both must outlive this object.
  PlanSlots(const NumberedGraph& numbered, const PlanLifetimes& lives)
      : numbered_(numbered),
        plan_(*numbered.graph.plan()),
        lives_(lives),
        slot_of_(lives.num_places(), -1) {}

  absl::Status Verify();

  // Returns the slot's number in the plan, or -1. Valid after Verify.
  int32_t Find(ValueRef value, Device device) const {
    return slot_of_[lives_.PlaceOf(value, device)];
  }
  // Returns whether the range lies in the space's arena.
  bool Inside(uint64_t offset, uint64_t bytes, Device space) const;
  // Returns the scratch memory of each thread that runs steps in the space.
  uint64_t ScratchBytes(Device space) const;

 private:
  absl::Status Error(const Slot& slot, std::string_view what) const {
    return SlotError(numbered_, slot, what);
  }
  absl::Status VerifyArenas();
  absl::Status VerifyEach();
  absl::Status VerifyRange(const Slot& slot) const;
  absl::Status VerifyLife(const Slot& slot) const;
  absl::Status VerifyEveryValueHasOne() const;

  const NumberedGraph& numbered_;
  const Plan& plan_;
  const PlanLifetimes& lives_;
  std::map<Device, const Arena*> arenas_;
  std::vector<int32_t> slot_of_;  // by place; -1: none
};

}  // namespace infer
