// SPDX-License-Identifier: Apache-2.0
//
// How a placed graph is executed: the schedule and the memory plan. Plain data; a node is
// identified by its position in program order, which no longer changes once a graph is placed.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/placement.h"
#include "ir/graph/plan_terms.h"

namespace infer {

// A copy of a value between the memories of two devices.
struct CopyStep {
  ValueRef value;
  Device from = Device::kCpu;
  Device to = Device::kCpu;
  bool operator==(const CopyStep&) const = default;
};

struct Step {
  int32_t node = -1;             // -1 for a copy
  std::optional<CopyStep> copy;  // set if and only if node is -1
  StepMode mode = StepMode::kSerial;
  bool barrier_after = false;
  uint64_t workspace_offset =
      0;  // scratch memory of the kernel, in the arena of the segment's space
  uint64_t workspace_bytes = 0;
  bool operator==(const Step&) const = default;
};

// A maximal run of steps on one device. A device with its own memory also has a queue: its segments
// are submitted and run in order while the cpu continues. Values get there and back by copies at
// the beginning and the end of its segments.
struct Segment {
  Device device = Device::kCpu;
  std::vector<Step> steps;
  // The device in whose memory the steps work, if not the segment's own device: a GPU with unified
  // memory works in the cpu's. Nothing is copied at such a boundary; one device only waits for the
  // other.
  std::optional<Device> shared_space = {};

  // Everything submitted to these devices before is complete when the first step begins.
  std::vector<Device> waits = {};

  Device space() const { return shared_space.value_or(device); }
  // Returns whether the cpu continues while the segment runs.
  bool is_queued() const { return space() != Device::kCpu; }
  bool operator==(const Segment&) const = default;
};

// The memory of a value, in use from step first_step to step last_step (counted over all segments).
struct Slot {
  ValueRef value;
  Device space = Device::kCpu;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  int32_t first_step = 0;
  int32_t last_step = 0;
  std::optional<ValueRef> alias_of;  // the value whose memory this is; for views and in-place ops
  bool operator==(const Slot&) const = default;
};

struct Arena {
  Device space = Device::kCpu;
  uint64_t bytes = 0;
  uint64_t bytes_per_thread = 0;  // scratch memory of kernels, in addition to `bytes`
  uint64_t lower_bound = 0;  // largest sum of slot sizes in use at one step; no plan can need less
  bool operator==(const Arena&) const = default;
};

struct Plan {
  std::vector<Segment> segments;
  std::vector<Slot> slots;  // in the order of their values
  std::vector<Arena> arenas;
  std::vector<Device> waits = {};  // before the call returns
  bool operator==(const Plan&) const = default;
};

}  // namespace infer
