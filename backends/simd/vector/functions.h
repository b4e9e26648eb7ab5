// SPDX-License-Identifier: Apache-2.0
//
// The row-wise functions of a level, as listed in VectorKernels.
#pragma once

#include <cstdint>

#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/isa/vector_kernels.h"

namespace infer::simd::INFER_SIMD_LEVEL {

void AddRow(const float* x, const float* y, int64_t n, float* out);
void MulRow(const float* x, const float* y, int64_t n, float* out);
void ScaleRow(const float* x, float factor, int64_t n, float* out);
void AddScalarRow(const float* x, float addend, int64_t n, float* out);
void SiluRow(const float* x, int64_t n, float* out);
void SwigluRow(const float* gate, const float* up, int64_t n, float* out);

void Matmul(const MatmulRows& m);

float SumSquares(const float* x, int64_t n);
void RmsNormRow(const float* x, const float* weight, float eps, int64_t n, float* out);
void AddRmsNormRow(const float* x, const float* y, const float* weight, float eps, int64_t n,
                   float* sum, float* normed);

void SoftmaxRow(const float* x, int64_t n, float* out);
int64_t ArgmaxRow(const float* x, int64_t n);
float SumExp(const float* x, int64_t n, float max);

// See AttentionKernels::merge.
void MergeParts(const AttentionCall& call, const AttentionPart& part, const AttentionPart& to);

void SinCosRow(const float* angle_per_position, int32_t position, float magnitude, int64_t half,
               float* cosine, float* sine);
void RopeHead(const float* x, const RopeRow& row, float* out);
void RopeAdjacentHead(const float* x, const RopeRow& row, float* out);

void ToHalfRow(const float* x, int64_t n, uint16_t* out);
void FromHalfRow(const uint16_t* x, int64_t n, float* out);
void ToQ8_0Row(const float* x, int64_t n, void* out);
void FromQ8_0Row(const void* x, int64_t n, float* out);

}  // namespace infer::simd::INFER_SIMD_LEVEL
