// SPDX-License-Identifier: Apache-2.0
//
// C = A * B in three ways: tiles in threadgroup memory, simdgroup matrices of float and of half.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

struct MatmulArgs {
  uint rows, columns, inner;
};

kernel void matmul_tiled(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                         device float* c [[buffer(2)]], constant MatmulArgs& args [[buffer(3)]],
                         uint2 at [[thread_position_in_grid]],
                         uint2 in [[thread_position_in_threadgroup]]) {
  threadgroup float tile_a[16][16];
  threadgroup float tile_b[16][16];
  float sum = 0.0;
  for (uint k = 0; k < args.inner; k += 16) {
    const bool in_a = at.y < args.rows && k + in.x < args.inner;
    const bool in_b = at.x < args.columns && k + in.y < args.inner;
    tile_a[in.y][in.x] = in_a ? a[at.y * args.inner + k + in.x] : 0.0f;
    tile_b[in.y][in.x] = in_b ? b[(k + in.y) * args.columns + at.x] : 0.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < 16; ++i) sum = fma(tile_a[in.y][i], tile_b[i][in.x], sum);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (at.y < args.rows && at.x < args.columns) c[at.y * args.columns + at.x] = sum;
}

// A tile of 16x16 for each group of two simdgroups, 8 rows each.
template <typename T>
kernel void matmul_simdgroup(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]],
                             device float* c [[buffer(2)]],
                             constant MatmulArgs& args [[buffer(3)]],
                             threadgroup float* memory [[threadgroup(0)]],
                             uint2 group [[threadgroup_position_in_grid]],
                             ushort thread_index [[thread_index_in_threadgroup]],
                             ushort simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup T* tile_a = (threadgroup T*)memory;  // 16 x 8
  threadgroup T* tile_b = tile_a + 16 * 8;         // 8 x 16
  simdgroup_float8x8 sums[2];
  for (ushort j = 0; j < 2; ++j) sums[j] = make_filled_simdgroup_matrix<float, 8>(0.0f);
  for (uint k = 0; k < args.inner; k += 8) {
    for (ushort e = thread_index; e < 128; e += 64) {
      const uint row = group.y * 16 + e / 8, inner = k + e % 8;
      tile_a[e] = row < args.rows && inner < args.inner ? a[row * args.inner + inner] : T(0);
      const uint inner_b = k + e / 16, column = group.x * 16 + e % 16;
      tile_b[e] =
          inner_b < args.inner && column < args.columns ? b[inner_b * args.columns + column] : T(0);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_matrix<T, 8, 8> left, right;
    simdgroup_load(left, tile_a + simd * 64, 8);
    for (ushort j = 0; j < 2; ++j) {
      simdgroup_load(right, tile_b, 16, ulong2(8 * j, 0));
      simdgroup_multiply_accumulate(sums[j], left, right, sums[j]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (ushort j = 0; j < 2; ++j) simdgroup_store(sums[j], memory + simd * 128 + 8 * j, 16);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (ushort e = thread_index; e < 256; e += 64) {
    const uint row = group.y * 16 + e / 16, column = group.x * 16 + e % 16;
    if (row < args.rows && column < args.columns) c[row * args.columns + column] = memory[e];
  }
}
typedef decltype(matmul_simdgroup<float>) matmul_simdgroup_t;
template [[host_name("matmul_simdgroup_f32")]] kernel matmul_simdgroup_t matmul_simdgroup<float>;
template [[host_name("matmul_simdgroup_f16")]] kernel void matmul_simdgroup<half>(
    device const half* a [[buffer(0)]], device const half* b [[buffer(1)]],
    device float* c [[buffer(2)]], constant MatmulArgs& args [[buffer(3)]],
    threadgroup float* memory [[threadgroup(0)]], uint2 group [[threadgroup_position_in_grid]],
    ushort thread_index [[thread_index_in_threadgroup]],
    ushort simd [[simdgroup_index_in_threadgroup]]);
