// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised weights on CPUs with the matrix instruction smmla.
#pragma once

#include "backends/simd/isa/linear_kernel.h"
#include "ir/graph/dtype.h"

namespace infer::simd::i8mm {

extern const ActivationMaker kInt8PairsMaker;
extern const ActivationMaker kInt8StreamsMaker;
extern const ActivationMaker kInt8TilesMaker;

// From panels, for every quantised type; one numerics class for any number of rows.
const LinearKernel* QuantLinear(DType weight);

// Activations in groups of 128 and a layout of their own: twice as fast. One numerics class each
// for any number of rows, and tiles for many.
extern const LinearKernel kLinearQ4_K;
extern const LinearKernel kLinearQ6_K;
extern const LinearKernel kTilesQ4_K;
extern const LinearKernel kTilesQ6_K;

}  // namespace infer::simd::i8mm
