// SPDX-License-Identifier: Apache-2.0
//
// Weights as kernels read them. F32, F16 and BF16 are as in the file. Blocks of other types are
// divided into planes, so that every load is aligned (backends/cuda/pack.cc writes them):
//   quants   q8_0: a byte for each element; others: 16 bytes for each 32 elements, element i in the
//            low half of byte i, element 16 + i in its high half
//   high     the bits above: q5_k 4 bytes, bit i of byte b is element 4i + b; q6_k 8 bytes, bits 2i
//            and 2i + 1 of byte b are element 4i + b of the first or second 16
//   scales   2 bytes for each 32 elements: q8_0 and q4_0 an f16, q4_k and q5_k scale and minimum,
//            q6_k the scales of its two halves
//   supers   4 bytes for each 256 elements: q4_k and q5_k the f16 factors of scales and minimums,
//            q6_k the factor of scales
#pragma once

#include "backends/cuda/kernels/primitives.h"

namespace infer::cuda {

enum class Type { kF32, kF16, kBf16, kQ8_0, kQ4_0, kQ4K, kQ5K, kQ6K };

constexpr bool IsQuantized(Type type) { return type >= Type::kQ8_0; }
constexpr bool HasSupers(Type type) { return type >= Type::kQ4K; }
// Elements in 16 bytes of quants.
constexpr int UnitElements(Type type) {
  if (type == Type::kF32) return 4;
  if (type == Type::kF16 || type == Type::kBf16) return 8;
  return type == Type::kQ8_0 ? 16 : 32;
}

// 16 bytes of quants with what belongs to them.
template <Type kType>
struct Unit {
  Int4 quants;
  Int2 high;
  uint32_t scales;
  uint32_t supers;
};

// Unit `at` of the whole weight: of a row of n units, row * n + unit.
template <Type kType>
DEVICE inline Unit<kType> LoadUnit(const WeightArgs& w, uint64_t at) {
  Unit<kType> u;
  u.quants = LoadOnce(w.quants + at * 16);
  const uint64_t block = kType == Type::kQ8_0 ? at / 2 : at;
  if constexpr (IsQuantized(kType)) {
    u.scales = reinterpret_cast<const uint16_t*>(w.scales)[block];
  }
  if constexpr (kType == Type::kQ5K) {
    u.high = {reinterpret_cast<const int*>(w.high)[at], 0};
  } else if constexpr (kType == Type::kQ6K) {
    u.high = reinterpret_cast<const Int2*>(w.high)[at];
  }
  if constexpr (HasSupers(kType)) {
    u.supers = reinterpret_cast<const uint32_t*>(w.supers)[at / 8];
  }
  return u;
}

// Quants 4i .. 4i + 3 of a unit as bytes, before what is subtracted from each.
template <Type kType>
DEVICE inline int QuantsOf(const Unit<kType>& u, int i) {
  if constexpr (kType == Type::kQ8_0) {
    return u.quants[i];
  } else {
    int quants = u.quants[i % 4] >> (i < 4 ? 0 : 4) & 0x0f0f0f0f;
    if constexpr (kType == Type::kQ5K) quants |= (u.high.x >> i & 0x01010101) << 4;
    if constexpr (kType == Type::kQ6K) {
      quants |= ((i < 4 ? u.high.x : u.high.y) >> (2 * (i % 4)) & 0x03030303) << 4;
    }
    return quants;
  }
}

// What is subtracted from each quant.
constexpr int QuantOffset(Type type) {
  return type == Type::kQ4_0 ? 8 : type == Type::kQ6K ? 32 : 0;
}

// Of the first or second 16 elements of a unit. Products are rounded one by one, as in the software
// that writes the files.
template <Type kType>
DEVICE inline float ScaleOf(const Unit<kType>& u, int half) {
  if constexpr (kType == Type::kQ8_0 || kType == Type::kQ4_0) {
    return HalfToFloat(static_cast<uint16_t>(u.scales));
  } else if constexpr (kType == Type::kQ6K) {
    const int scale = static_cast<signed char>(u.scales >> (8 * half));
    return HalfToFloat(static_cast<uint16_t>(u.supers)) * static_cast<float>(scale);
  } else {
    return HalfToFloat(static_cast<uint16_t>(u.supers)) * static_cast<float>(u.scales & 0xff);
  }
}
// Of all elements of a unit.
template <Type kType>
DEVICE inline float MinimumOf(const Unit<kType>& u) {
  if constexpr (kType == Type::kQ4K || kType == Type::kQ5K) {
    return HalfToFloat(static_cast<uint16_t>(u.supers >> 16)) *
           static_cast<float>(u.scales >> 8 & 0xff);
  } else {
    return 0;
  }
}

// Calls each(i, value) for every element of the unit, with the values that the format defines.
template <Type kType, class F>
DEVICE inline void ForEachElement(const Unit<kType>& u, F each) {
  if constexpr (kType == Type::kF32) {
#pragma unroll
    for (int i = 0; i < 4; ++i) each(i, AsFloat(static_cast<uint32_t>(u.quants[i])));
  } else if constexpr (kType == Type::kF16 || kType == Type::kBf16) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const uint16_t bits = static_cast<uint16_t>(u.quants[i / 2] >> (16 * (i % 2)));
      each(i, kType == Type::kF16 ? HalfToFloat(bits) : Bf16ToFloat(bits));
    }
  } else {
    const float minimum = MinimumOf(u);
#pragma unroll
    for (int i = 0; i < UnitElements(kType); ++i) {
      const int byte = QuantsOf(u, i / 4) >> (8 * (i % 4));
      const int quant = (kType == Type::kQ8_0 ? static_cast<signed char>(byte) : byte & 0xff) -
                        QuantOffset(kType);
      const float product = ScaleOf(u, i / 16) * static_cast<float>(quant);
      each(i, product - minimum);
    }
  }
}

}  // namespace infer::cuda
