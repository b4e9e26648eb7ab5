// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backends/simd/isa/vector_kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "runtime/kernel.h"

namespace infer::simd {

// Binds a kernel to the row-wise functions of the chosen level, which exists wherever a simd kernel
// runs. Owns nothing: the tables of all levels are constants of the binary.
inline std::shared_ptr<const void> BindVector(const Node&) {
  return {std::shared_ptr<const void>(), ChosenLevel().level->vector};
}

// Returns what BindVector bound.
inline const VectorKernels& BoundVector(const KernelArgs& args) {
  return args.constants<VectorKernels>();
}

}  // namespace infer::simd
