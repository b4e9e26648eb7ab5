// SPDX-License-Identifier: Apache-2.0
//
// What headers outside of plans say about them. An edit of plan.h compiles few files again; one of
// this header compiles most.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace infer {

// Alignment of every slot: a cache line, which is also the widest vector register in use.
inline constexpr uint64_t kSlotAlignment = 64;

// Result `result` of the node at position `node`; graph inputs are the first positions.
struct ValueRef {
  int32_t node = 0;
  int32_t result = 0;
  auto operator<=>(const ValueRef&) const = default;
};

// kSerial: one thread runs the step. kSliced: threads share its units.
enum class StepMode : uint8_t { kSerial, kSliced };
std::string_view Name(StepMode mode);
std::optional<StepMode> FindStepMode(std::string_view name);

}  // namespace infer
