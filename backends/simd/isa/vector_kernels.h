// SPDX-License-Identifier: Apache-2.0
//
// Row-wise functions of a level. Rows are contiguous; a function may write in place where the op's
// record allows it.
#pragma once

#include <cstdint>

namespace infer::simd {

// Sine and cosine of one position, for `half` pairs.
struct RopeRow {
  const float* cosine;
  const float* sine;
  int64_t half;
};

// Rows of a product of two matrices: out[rows][columns] = a[rows][inner] b[inner][columns].
struct MatmulRows {
  const float* a;
  const float* b;
  float* out;
  int64_t rows;
  int64_t inner;
  int64_t columns;
};

struct VectorKernels {
  void (*add)(const float* x, const float* y, int64_t n, float* out);
  void (*mul)(const float* x, const float* y, int64_t n, float* out);
  void (*scale)(const float* x, float factor, int64_t n, float* out);
  void (*add_scalar)(const float* x, float addend, int64_t n, float* out);
  void (*silu)(const float* x, int64_t n, float* out);
  void (*swiglu)(const float* gate, const float* up, int64_t n, float* out);
  void (*matmul)(const MatmulRows& m);
  // Functions of one row.
  float (*sum_squares)(const float* x, int64_t n);
  void (*rms_norm)(const float* x, const float* weight, float eps, int64_t n, float* out);
  void (*add_rms_norm)(const float* x, const float* y, const float* weight, float eps, int64_t n,
                       float* sum, float* normed);
  void (*softmax)(const float* x, int64_t n, float* out);
  int64_t (*argmax)(const float* x, int64_t n);  // the first of the largest; NaN counts as largest
  float (*sum_exp)(const float* x, int64_t n, float max);  // sum of exp(x[i] - max)
  // Computes the RopeRow of a position, multiplied by `magnitude`.
  void (*sin_cos)(const float* angle_per_position, int32_t position, float magnitude, int64_t half,
                  float* cosine, float* sine);
  // Rotate one head: pairs (x[i], x[i + half]), or (x[2i], x[2i + 1]).
  void (*rope)(const float* x, const RopeRow& row, float* out);
  void (*rope_adjacent)(const float* x, const RopeRow& row, float* out);
  // Convert f32 to the cache's type and back; n is a multiple of 32 for q8_0.
  void (*to_f16)(const float* x, int64_t n, uint16_t* out);
  void (*from_f16)(const uint16_t* x, int64_t n, float* out);
  void (*to_q8_0)(const float* x, int64_t n, void* out);
  void (*from_q8_0)(const void* x, int64_t n, float* out);
};

}  // namespace infer::simd
