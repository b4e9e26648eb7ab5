// SPDX-License-Identifier: Apache-2.0
//
// The plain products of a level: from the file's rows, without packing.
#pragma once

#include "backends/simd/isa/linear_kernel.h"
#include "ir/graph/dtype.h"

namespace infer::simd::INFER_SIMD_LEVEL {

// These return nullptr if there is no such weight type. The first two are only of level neon.
const LinearKernel* SimpleRowLinear(DType weight);  // blocks of 32
const LinearKernel* KRowLinear(DType weight);       // blocks of 256
const LinearKernel* PlainRowLinear(DType weight);   // f32, f16, bf16

// For every weight type.
const LinearKernel* RowLinearFloat(DType weight);  // f32 activations

}  // namespace infer::simd::INFER_SIMD_LEVEL
