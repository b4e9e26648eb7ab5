// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/vector/functions.h"

namespace infer::simd::INFER_SIMD_LEVEL {

extern const VectorKernels kVectorKernels;
constinit const VectorKernels kVectorKernels = {
    .add = AddRow,
    .mul = MulRow,
    .scale = ScaleRow,
    .add_scalar = AddScalarRow,
    .silu = SiluRow,
    .swiglu = SwigluRow,
    .matmul = Matmul,
    .sum_squares = SumSquares,
    .rms_norm = RmsNormRow,
    .add_rms_norm = AddRmsNormRow,
    .softmax = SoftmaxRow,
    .argmax = ArgmaxRow,
    .sum_exp = SumExp,
    .sin_cos = SinCosRow,
    .rope = RopeHead,
    .rope_adjacent = RopeAdjacentHead,
    .to_f16 = ToHalfRow,
    .from_f16 = FromHalfRow,
    .to_q8_0 = ToQ8_0Row,
    .from_q8_0 = FromQ8_0Row,
};

}  // namespace infer::simd::INFER_SIMD_LEVEL
