// SPDX-License-Identifier: Apache-2.0
//
// The products of AMX tiles with packed panels.
#pragma once

#include "backends/simd/isa/linear_kernel.h"
#include "ir/graph/dtype.h"

namespace infer::simd::INFER_SIMD_LEVEL {

// For any number of rows, with one numerics class. nullptr for f32, which tiles would round.
const LinearKernel* TileLinear(DType weight);

}  // namespace infer::simd::INFER_SIMD_LEVEL
