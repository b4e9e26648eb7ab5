// SPDX-License-Identifier: Apache-2.0
//
// Columns of f32 matrices: slice_columns and concat_columns, which copy a run of columns;
// broadcast_rows; transpose.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

kernel void copy_columns_f32(constant ColumnArgs& p [[buffer(0)]],
                             device const float* x [[buffer(1)]], device float* out [[buffer(2)]],
                             uint2 at [[thread_position_in_grid]]) {
  if (at.x >= p.columns || at.y >= p.rows) return;
  out[ulong(at.y) * p.to_stride + p.to + at.x] = x[ulong(at.y) * p.from_stride + p.from + at.x];
}

kernel void broadcast_rows_f32(constant GatherArgs& p [[buffer(0)]],
                               device const float* x [[buffer(1)]],
                               device float* out [[buffer(2)]],
                               uint2 at [[thread_position_in_grid]]) {
  if (at.x >= p.columns || at.y >= p.rows) return;
  out[ulong(at.y) * p.columns + at.x] = x[at.y];
}

// Goes through a tile, so that adjacent threads read and write adjacent words. One extra column
// keeps the threads of a column out of one memory bank. The arguments are those of the result.
kernel void transpose_f32(constant GatherArgs& p [[buffer(0)]], device const float* x [[buffer(1)]],
                          device float* out [[buffer(2)]],
                          uint2 group [[threadgroup_position_in_grid]],
                          uint2 at [[thread_position_in_threadgroup]]) {
  threadgroup float tile[kPlainTile][kPlainTile + 1];
  const uint column0 = group.x * kPlainTile, row0 = group.y * kPlainTile;
  if (column0 + at.y < p.columns && row0 + at.x < p.rows) {
    tile[at.y][at.x] = x[ulong(column0 + at.y) * p.rows + row0 + at.x];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (column0 + at.x < p.columns && row0 + at.y < p.rows) {
    out[ulong(row0 + at.y) * p.columns + column0 + at.x] = tile[at.x][at.y];
  }
}
