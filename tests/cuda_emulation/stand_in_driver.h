// SPDX-License-Identifier: Apache-2.0
//
// A driver whose card is the CPU: memory with guards around it, kernels on fibers, graphs that are
// replayed. Failures can be injected. One for the process, used by one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/cuda_modules.h"
#include "backends/cuda/driver.h"
#include "tests/metal_emulation/runtime/thread_order.h"

namespace infer::cuda_emulation {

struct Settings {
  int count = 1;             // cards
  int major = 9, minor = 0;  // compute capability
  uint64_t total_bytes = uint64_t{8} << 30;
  bool has_newer_functions = true;
  emulation::Order order = emulation::Order::kForward;
  int workers = 1;
  // The n-th call of its kind from now on fails; -1: none does.
  int64_t failing_allocation = -1;
  int64_t failing_launch = -1;
  int64_t lost_after_launches = -1;  // from then on every call fails
  std::string refused_module = {};   // empty: none
};

// Resets the counters of failures too. Contexts that are open stay valid.
void SetSettings(const Settings& settings);

const cuda::Driver& StandInDriver();
// Modules whose functions are the kernels compiled into the program.
std::span<const cuda::PtxModule> StandInModules();

// What went wrong in kernels since the last call.
std::vector<std::string> TakeFaults();
uint64_t AllocatedBytes();
int64_t LiveObjects();  // streams, events, graphs, modules
int64_t Launches();     // so far, replayed ones included
int64_t GraphReplays();
int64_t Allocations();

}  // namespace infer::cuda_emulation
