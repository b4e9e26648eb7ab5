// SPDX-License-Identifier: Apache-2.0
//
// Products with float weights, and with every weight type when activations stay in f32.
#pragma once

#include "backends/simd/isa/linear_kernel.h"
#include "ir/graph/dtype.h"

namespace infer::simd::i8mm {

extern const LinearKernel kLinearF16;
extern const LinearKernel kLinearBf16;

// Dequantises weights row by row, with f32 activations; nullptr for a type without such rows.
const LinearKernel* FloatLinear(DType weight);

}  // namespace infer::simd::i8mm
