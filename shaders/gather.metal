// SPDX-License-Identifier: Apache-2.0
//
// Rows by index: gather_rows, and select_rows, whose indices come from the batch.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

kernel void gather_rows_f32(constant GatherArgs& p [[buffer(0)]],
                            device const float* x [[buffer(1)]],
                            device const int* rows [[buffer(2)]], device float* out [[buffer(3)]],
                            uint2 at [[thread_position_in_grid]]) {
  if (at.x >= p.columns || at.y >= p.rows) return;
  out[ulong(at.y) * p.columns + at.x] = x[ulong(uint(rows[at.y])) * p.columns + at.x];
}
