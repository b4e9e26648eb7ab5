// SPDX-License-Identifier: Apache-2.0
//
// Vectors of the KV cache. K and V are separate, each [block][kv_head][position in
// block][head_dim].
#pragma once

#include "backends/cuda/kernels/primitives.h"

namespace infer::cuda {

enum class Cache { kF32, kF16, kQ8_0 };

template <Cache kCache>
DEVICE inline uint64_t VectorBytes(uint32_t head_dim) {
  if (kCache == Cache::kF32) return 4ull * head_dim;
  return kCache == Cache::kF16 ? 2ull * head_dim : 34ull * (head_dim / 32);
}

// Index of the vector of `head` at the physical `slot`.
DEVICE inline uint64_t VectorAt(uint32_t slot, uint32_t head, uint32_t kv_heads,
                                uint32_t block_positions) {
  return (static_cast<uint64_t>(slot / block_positions) * kv_heads + head) * block_positions +
         slot % block_positions;
}

// Elements [first, first + kCount) of a vector; kCount is 4, 8, 16 or 32 and divides `first`.
template <Cache kCache, int kCount>
DEVICE inline void LoadVector(const unsigned char* vector, int first, float (&out)[kCount]) {
  if constexpr (kCache == Cache::kF32) {
#pragma unroll
    for (int i = 0; i < kCount / 4; ++i) {
      const Float4 v = reinterpret_cast<const Float4*>(vector)[first / 4 + i];
#pragma unroll
      for (int j = 0; j < 4; ++j) out[4 * i + j] = v[j];
    }
  } else if constexpr (kCache == Cache::kF16) {
#pragma unroll
    for (int i = 0; i < kCount / 4; ++i) {
      const Int2 v = reinterpret_cast<const Int2*>(vector)[first / 4 + i];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        out[4 * i + j] = HalfToFloat(static_cast<uint16_t>(v[j / 2] >> (16 * (j % 2))));
      }
    }
  } else {
    // Blocks of 34 bytes: an f16 and 32 bytes, aligned to 2.
    const unsigned char* block = vector + 34 * (first / 32);
    const float scale = HalfToFloat(*reinterpret_cast<const uint16_t*>(block));
    const uint16_t* quants = reinterpret_cast<const uint16_t*>(block + 2 + first % 32);
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i) {
      const int pair = quants[i];
      out[2 * i] = scale * static_cast<float>(static_cast<signed char>(pair));
      out[2 * i + 1] = scale * static_cast<float>(static_cast<signed char>(pair >> 8));
    }
  }
}

// The f16 that CPUs convert to: a card's own conversion makes one NaN of all.
DEVICE inline uint16_t StoredHalf(float value) {
  const uint32_t bits = AsBits(value);
  if ((bits & 0x7fffffff) <= 0x7f800000) return FloatToHalf(value);
  return static_cast<uint16_t>((bits >> 16 & 0x8000) | 0x7e00 | (bits >> 13 & 0x3ff));
}

// Stores a whole vector that lies in shared memory, by all lanes of a warp, unless `to` is null,
// and rounds it there to what was stored. q8_0 has the bits of the scalar kernel: float operations
// step by step, ties to even; a block with a number that is not finite reads as NaN.
template <Cache kCache>
DEVICE inline void StoreVector(float* values, uint32_t head_dim, unsigned char* to) {
  const uint32_t lane = ThreadIndex() % 32;
  if constexpr (kCache == Cache::kF32) {
    if (to == nullptr) return;
    for (uint32_t i = lane; i < head_dim; i += 32) reinterpret_cast<float*>(to)[i] = values[i];
  } else if constexpr (kCache == Cache::kF16) {
    for (uint32_t i = lane; i < head_dim; i += 32) {
      const uint16_t half = StoredHalf(values[i]);
      if (to != nullptr) reinterpret_cast<uint16_t*>(to)[i] = half;
      values[i] = HalfToFloat(half);
    }
  } else {
    for (uint32_t i = 0; i < head_dim / 32; ++i) {
      const float x = values[32 * i + lane];
      const float most = WarpMaxAbs(x);
      const bool finite = AsBits(most) < 0x7f800000;
      const float scale = most / 127.0f;
      const float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
      // A scale below 2^-128 has no inverse.
      const float scaled = AsBits(inverse) == 0x7f800000 ? x / scale : x * inverse;
      float quant = finite ? __builtin_rintf(scaled) : 0.0f;
      quant = quant < -128.0f ? -128.0f : quant > 127.0f ? 127.0f : quant;
      const uint16_t half = finite ? FloatToHalf(scale) : uint16_t{0x7e00};
      values[32 * i + lane] = HalfToFloat(half) * quant;
      if (to == nullptr) continue;
      unsigned char* block = to + 34 * i;
      block[2 + lane] = static_cast<unsigned char>(static_cast<signed char>(quant));
      if (lane == 0) *reinterpret_cast<uint16_t*>(block) = half;
    }
  }
}

}  // namespace infer::cuda
