// SPDX-License-Identifier: Apache-2.0
//
// Products with float weights, and with every weight type where activations stay f32.
#pragma once

#include "backends/simd/isa/linear_kernel.h"
#include "ir/graph/dtype.h"

namespace infer::simd::i8mm {

extern const LinearKernel kLinearF16;
extern const LinearKernel kLinearBf16;
extern const LinearKernel kLinearF32;

// Weights dequantised row by row, f32 activations; nullptr for a type without rows of that kind.
const LinearKernel* FloatLinear(DType weight);

}  // namespace infer::simd::i8mm
