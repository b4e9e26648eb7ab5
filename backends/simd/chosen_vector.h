// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/simd/isa/vector_kernels.h"
#include "backends/simd/levels/choose_level.h"

namespace infer::simd {

// The row-wise functions of the chosen level, which there is wherever a simd kernel runs.
inline const VectorKernels& ChosenVector() { return *ChosenLevel().level->vector; }

}  // namespace infer::simd
