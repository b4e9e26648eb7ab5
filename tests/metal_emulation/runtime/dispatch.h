// SPDX-License-Identifier: Apache-2.0
//
// One dispatch of a kernel: all its groups, some at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/metal_emulation/runtime/access_trace.h"
#include "tests/metal_emulation/runtime/group.h"
#include "tests/metal_emulation/runtime/registry.h"

namespace infer::emulation {

struct DispatchRequest {
  const ShaderFile* file = nullptr;
  const Kernel* kernel = nullptr;
  std::array<std::byte*, kMaxBuffers> buffers{};
  std::array<size_t, kMaxThreadgroupArguments> threadgroup_bytes{};
  size_t max_threadgroup_bytes = kMaxThreadgroupBytes;
  Dim3 groups{1, 1, 1};
  Dim3 threads_per_group{1, 1, 1};
  Dim3
      threads_per_grid{};  // of dispatchThreads, with groups cut short at its edges; 0: full groups
  // Memory that may be touched, none of it twice; empty: nothing is recorded or checked.
  std::vector<Region> regions;
  Order order = Order::kForward;  // of the threads in a group, and of the groups
  uint32_t seed = 1;
  int workers = 1;  // OS threads
};

struct DispatchResult {
  std::string fault;  // empty: all threads ran to their end
  uint64_t switches = 0;
  std::vector<RegionAccesses> accesses;  // of each region
};

DispatchResult RunDispatch(const DispatchRequest& request);

}  // namespace infer::emulation
