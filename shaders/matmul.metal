// SPDX-License-Identifier: Apache-2.0
//
// The plain product of two f32 matrices, in tiles of 16 x 16: matmul, and linear where simdgroup
// matrices do not pay off. A thread computes one element of the result.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

constant int kTransposed [[function_constant(0)]];  // b has a row for each column of the result

kernel void matmul_tiled_f32(constant MatmulArgs& p [[buffer(0)]],
                             device const float* a [[buffer(1)]],
                             device const float* b [[buffer(2)]],
                             device float* out [[buffer(3)]],
                             uint2 group [[threadgroup_position_in_grid]],
                             uint2 at [[thread_position_in_threadgroup]]) {
  threadgroup float as[kPlainTile][kPlainTile];
  threadgroup float bs[kPlainTile][kPlainTile];
  const uint row = group.y * kPlainTile + at.y, column = group.x * kPlainTile + at.x;
  float sum = 0.0f;
  for (uint k0 = 0; k0 < p.inner; k0 += kPlainTile) {
    const uint a_column = k0 + at.x;
    as[at.y][at.x] = 0.0f;
    if (row < p.rows && a_column < p.inner) as[at.y][at.x] = a[ulong(row) * p.inner + a_column];
    // Adjacent threads read adjacent words of b, whether it is transposed or not.
    const uint b_row = kTransposed != 0 ? group.x * kPlainTile + at.y : k0 + at.y;
    const uint b_column = kTransposed != 0 ? k0 + at.x : column;
    const uint b_rows = kTransposed != 0 ? p.columns : p.inner;
    const uint b_columns = kTransposed != 0 ? p.inner : p.columns;
    float value = 0.0f;
    if (b_row < b_rows && b_column < b_columns) value = b[ulong(b_row) * b_columns + b_column];
    if (kTransposed != 0) {
      bs[at.x][at.y] = value;
    } else {
      bs[at.y][at.x] = value;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < kPlainTile; ++k) sum += as[at.y][k] * bs[k][at.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (row < p.rows && column < p.columns) out[ulong(row) * p.columns + column] = sum;
}
