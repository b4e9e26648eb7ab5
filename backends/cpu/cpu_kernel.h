// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/kernel.h"

namespace infer {

// A row in the table of a CPU target. A kernel has no state, allocates nothing, logs nothing and
// cannot fail: whatever could go wrong was refused by `accepts` or by the verifier.
//
// Work is cut into units that depend on shapes and lengths and never on the number of threads, so
// that every way of sharing them out gives the same bits.
struct CpuKernel {
  KernelInfo info;
  void (*run)(const KernelArgs& args, int64_t begin, int64_t end);
  int64_t (*units)(const KernelArgs& args) = nullptr;  // nullptr: one unit, the whole node
};

}  // namespace infer
