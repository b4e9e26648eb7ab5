// SPDX-License-Identifier: Apache-2.0
//
// out = x times the transposed weight: matrix-vector for few tokens, matrix-matrix in tiles of 64
// outputs x 32 tokens for many. Sums are floats, and so are the tiles: half would round weights of
// q4_k and activations to 11 bits.
#pragma once

constant int kRows [[function_constant(0)]];    // weight rows per simdgroup, up to 4
constant int kTokens [[function_constant(1)]];  // tokens per group, up to 4

enum : uint {
  kMaxRows = 4,
  kChunk = 16,          // elements that a lane processes at once
  kStep = 32 * kChunk,  // elements per simdgroup and step
  kTileInner = 32,      // of a matrix-matrix tile
  kWeightTile = kTileInner * kMatmatOutputs,
  kTokenTile = kMatmatTokens * kTileInner,
};

// The lanes of a simdgroup divide the columns. Rows and tokens beyond the end repeat the last one,
// so that all lanes reach every simd_sum, and are not stored.
template <typename W>
kernel void Matvec(constant LinearArgs& p [[buffer(0)]], device const uchar* weight [[buffer(1)]],
                   device const float* x [[buffer(2)]], device float* out [[buffer(3)]],
                   uint2 group [[threadgroup_position_in_grid]],
                   ushort lane [[thread_index_in_simdgroup]],
                   ushort simd [[simdgroup_index_in_threadgroup]],
                   ushort simds [[simdgroups_per_threadgroup]]) {
  const uint rows = uint(kRows), tokens = uint(kTokens);
  const uint row0 = (group.x * simds + simd) * rows;
  const uint token0 = group.y * tokens;
  float sums[kMaxRows][kMatvecTokens];
  for (uint r = 0; r < rows; ++r) {
    for (uint t = 0; t < tokens; ++t) sums[r][t] = 0.0f;
  }
  for (uint k = lane * kChunk; k < p.inner; k += kStep) {
    float xs[kMatvecTokens][kChunk];
    for (uint t = 0; t < tokens; ++t) {
      const uint token = min(token0 + t, p.tokens - 1);
      WeightF32::Load16((device const uchar*)(x + ulong(token) * p.inner), k, p.inner, xs[t]);
    }
    for (uint r = 0; r < rows; ++r) {
      const uint row = min(row0 + r, p.outputs - 1);
      float w[kChunk];
      W::Load16(weight + ulong(row) * p.row_bytes, k, p.inner, w);
      for (uint t = 0; t < tokens; ++t) {
        float sum = 0.0f;
        for (uint i = 0; i < kChunk; ++i) sum += w[i] * xs[t][i];
        sums[r][t] += sum;
      }
    }
  }
  for (uint r = 0; r < rows; ++r) {
    for (uint t = 0; t < tokens; ++t) {
      const float sum = simd_sum(sums[r][t]);
      const uint row = row0 + r, token = token0 + t;
      if (lane == 0 && row < p.outputs && token < p.tokens) {
        out[ulong(token) * p.outputs + row] = sum;
      }
    }
  }
}

// A group has four simdgroups; each multiplies 16 tokens by 32 outputs. The weight tile is stored
// with outputs side by side, so that adjacent threads write adjacent words.
template <typename W>
kernel void Matmat(constant LinearArgs& p [[buffer(0)]], device const uchar* weight [[buffer(1)]],
                   device const float* x [[buffer(2)]], device float* out [[buffer(3)]],
                   uint2 group [[threadgroup_position_in_grid]],
                   ushort thread_index [[thread_index_in_threadgroup]],
                   ushort simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float ws[kWeightTile];  // later the result: 32 tokens x 64 outputs
  threadgroup float xs[kTokenTile];
  const uint token0 = group.x * kMatmatTokens, output0 = group.y * kMatmatOutputs;
  const uint simd_token = simd / 2 * 16, simd_output = simd % 2 * 32;
  simdgroup_float8x8 sums[2][4];
  for (uint i = 0; i < 2; ++i) {
    for (uint j = 0; j < 4; ++j) sums[i][j] = make_filled_simdgroup_matrix<float, 8>(0.0f);
  }
  const uint w_output = thread_index % kMatmatOutputs;
  const uint w_inner = thread_index / kMatmatOutputs * kChunk;
  device const uchar* row = weight + ulong(min(output0 + w_output, p.outputs - 1)) * p.row_bytes;
  const uint x_token = thread_index / 4, x_inner = thread_index % 4 * 8;
  device const float* from = x + ulong(min(token0 + x_token, p.tokens - 1)) * p.inner;

  for (uint k0 = 0; k0 < p.inner; k0 += kTileInner) {
    float w[kChunk];
    W::Load16(row, k0 + w_inner, p.inner, w);
    for (uint i = 0; i < kChunk; ++i) ws[(w_inner + i) * kMatmatOutputs + w_output] = w[i];
    for (uint i = 0; i < 8; ++i) {
      const uint k = k0 + x_inner + i;
      float value = 0.0f;
      if (token0 + x_token < p.tokens && k < p.inner) value = from[k];
      xs[x_token * kTileInner + x_inner + i] = value;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < kTileInner; k += 8) {
      simdgroup_float8x8 a[2], b[4];
      for (uint i = 0; i < 2; ++i) {
        simdgroup_load(a[i], xs + (simd_token + 8 * i) * kTileInner + k, kTileInner);
      }
      for (uint j = 0; j < 4; ++j) {
        simdgroup_load(b[j], ws + k * kMatmatOutputs + simd_output + 8 * j, kMatmatOutputs);
      }
      for (uint i = 0; i < 2; ++i) {
        for (uint j = 0; j < 4; ++j) {
          simdgroup_multiply_accumulate(sums[i][j], a[i], b[j], sums[i][j]);
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (uint i = 0; i < 2; ++i) {
    for (uint j = 0; j < 4; ++j) {
      simdgroup_store(sums[i][j], ws + (simd_token + 8 * i) * kMatmatOutputs + simd_output + 8 * j,
                      kMatmatOutputs);
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = thread_index; i < kWeightTile; i += 128) {
    const uint token = token0 + i / kMatmatOutputs, output = output0 + i % kMatmatOutputs;
    if (token >= p.tokens || output >= p.outputs) continue;
    out[ulong(token) * p.outputs + output] = ws[i];
  }
}
