// SPDX-License-Identifier: Apache-2.0
//
// The CUDA kernels that were compiled into the program. Each registers itself before main().
#pragma once

#include <string>
#include <string_view>

#include "tests/metal_emulation/runtime/registry.h"

namespace infer::cuda_emulation {

// Shared memory that a block of an H100 or H200 may have.
inline constexpr size_t kMaxSharedBytes = 227 * 1024;

struct EmulatedKernel {
  emulation::Kernel kernel;
  size_t argument_bytes = 0;
};

// Returns nullptr if there is none of this name.
const EmulatedKernel* FindKernel(std::string_view name);

struct RegisterKernel {
  RegisterKernel(const char* name, void (*call)(const emulation::Parameter*), size_t argument_bytes,
                 int line);
};

}  // namespace infer::cuda_emulation
