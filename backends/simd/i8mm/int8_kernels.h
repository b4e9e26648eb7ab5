// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised weights on CPUs with the matrix instructions smmla and bfmmla.
#pragma once

#include "backends/simd/linear_kernel.h"

namespace infer::simd::i8mm {

extern const ActivationMaker kInt8TilesMaker;

// Packed.
extern const LinearKernel kLinearQ8_0;
extern const LinearKernel kLinearQ4_0;


}  // namespace infer::simd::i8mm
