// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised weights on CPUs with the matrix instructions smmla and bfmmla.
#pragma once

#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd::i8mm {

extern const ActivationMaker kInt8TilesMaker;

// With a packed layout.
extern const LinearKernel kLinearQ8_0;
extern const LinearKernel kLinearQ4_0;
extern const LinearKernel kLinearQ4_K;
extern const LinearKernel kLinearQ6_K;

// From the file's rows.
extern const LinearKernel kLinearQ4_1;
extern const LinearKernel kLinearQ5_0;
extern const LinearKernel kLinearQ5_1;
extern const LinearKernel kLinearQ2_K;
extern const LinearKernel kLinearQ3_K;
extern const LinearKernel kLinearQ5_K;
extern const LinearKernel kLinearIQ4_NL;
extern const LinearKernel kLinearIQ4_XS;
extern const LinearKernel kLinearMXFP4;

}  // namespace infer::simd::i8mm
