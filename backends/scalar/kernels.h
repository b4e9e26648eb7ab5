// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer {

// The kernels of the target `scalar`: one for every primitive op, and one for each weight or cache
// type where an op reads such a thing. Composite ops have none, they run by decomposition.
std::span<const CpuKernel> ScalarKernels();

}  // namespace infer
