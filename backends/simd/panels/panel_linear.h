// SPDX-License-Identifier: Apache-2.0
//
// The products of a level with packed panels.
#pragma once

#include "backends/simd/isa/linear_kernel.h"
#include "ir/graph/dtype.h"

namespace infer::simd::INFER_SIMD_LEVEL {

// Quantised types, with activations in int8; the second has those with a minimum, which share no
// expanded form with the others.
const LinearKernel* QuantPanelLinear(DType weight);
const LinearKernel* PanelLinearWithMin(DType weight);
const LinearKernel* FloatPanelLinear(DType weight);  // f32, f16, bf16

// Either of the two.
const LinearKernel* PanelLinear(DType weight);

}  // namespace infer::simd::INFER_SIMD_LEVEL
