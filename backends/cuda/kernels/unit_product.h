// SPDX-License-Identifier: Apache-2.0
//
// A row of x as products of few tokens read it, and the product of a unit of a weight with it. One
// token (stream.h) and several (matvec.h) round and add in the same way, lane by lane, so that a
// token has the same bits in both.
#pragma once

#include "backends/cuda/kernels/weights.h"

namespace infer::cuda {

// int8 in groups of 32 with their scales and, for weights with an offset or a minimum, the sums of
// 16 quants; or f32, at `quants`. In shared memory units that take 32 bytes are divided into two
// planes, the first halves of all at `quants` and the second halves at `second`: lanes that read 16
// bytes at a distance of 32 would wait for each other's banks.
struct RowOfX {
  int* quants;
  float* scales;
  int* sums;
  int* second;
};
// Words of x for a unit of the weight.
constexpr int WordsOfX(Type type) { return UnitElements(type) / (IsQuantized(type) ? 4 : 1); }
constexpr bool HasPlanes(Type type) { return WordsOfX(type) == 8; }

// Row `token` of rows in int8 at `at`: the quants of all, then the sums, then the scales.
DEVICE inline RowOfX Int8Row(unsigned char* at, uint64_t tokens, uint32_t columns, uint64_t token) {
  int* sums = reinterpret_cast<int*>(at + tokens * columns);
  float* scales = reinterpret_cast<float*>(at + tokens * columns + tokens * (columns / 4));
  return {reinterpret_cast<int*>(at + token * columns), scales + token * (columns / 32),
          sums + token * (columns / 16), nullptr};
}
// The only row of a product of one token, in shared memory.
template <Type kType>
DEVICE inline RowOfX SharedRow(unsigned char* at, uint32_t columns) {
  RowOfX x = Int8Row(at, 1, columns, 0);
  x.second = x.quants + columns / UnitElements(kType) * 4;
  return x;
}

// Rounds elements 4i .. 4i + 3 of kHeld places i, which are kStreamThreads apart; eight lanes have
// a group. A group with a number that is not finite gets that as its scale. Step by step for all
// places, so that the latencies of the exchanges overlap. kPlanes: quants are in two planes.
template <bool kSums, bool kPlanes, uint32_t kHeld>
DEVICE inline void Round(const Float4 (&v)[kHeld], uint32_t first, uint32_t fours,
                         const RowOfX& x) {
  uint32_t most[kHeld];
#pragma unroll
  for (uint32_t j = 0; j < kHeld; ++j) {
    most[j] = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const uint32_t bits = AsBits(v[j][e]) & 0x7fffffff;
      most[j] = bits > most[j] ? bits : most[j];
    }
  }
#pragma unroll
  for (int mask = 4; mask > 0; mask >>= 1) {
#pragma unroll
    for (uint32_t j = 0; j < kHeld; ++j) {
      const uint32_t other = AsBits(ShuffleXor(AsFloat(most[j]), mask));
      most[j] = other > most[j] ? other : most[j];
    }
  }
  uint32_t packed[kHeld];
  int sums[kHeld];
#pragma unroll
  for (uint32_t j = 0; j < kHeld; ++j) {
    // Otherwise the scale or its inverse would not be a normal float.
    const bool usable = most[j] >= 0x04800000 && most[j] < 0x7e800000;
    const float inverse = usable ? 127.0f * Reciprocal(AsFloat(most[j])) : 0.0f;
    // Adding 1.5 * 2^23 rounds to an integer, ties to even, whose low byte is that of the bits.
    uint32_t quants[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) quants[e] = AsBits(Fma(v[j][e], inverse, 12582912.0f));
    packed[j] =
        (quants[0] & 0xff) | (quants[1] & 0xff) << 8 | (quants[2] & 0xff) << 16 | quants[3] << 24;
    if (!usable && most[j] < 0x7f800000) most[j] = 0;
    sums[j] = Dot4(static_cast<int>(packed[j]), 0x01010101, 0);
  }
  if constexpr (kSums) {
#pragma unroll
    for (int mask = 2; mask > 0; mask >>= 1) {
#pragma unroll
      for (uint32_t j = 0; j < kHeld; ++j) {
        const float other = ShuffleXor(AsFloat(static_cast<uint32_t>(sums[j])), mask);
        sums[j] += static_cast<int>(AsBits(other));
      }
    }
  }
#pragma unroll
  for (uint32_t j = 0; j < kHeld; ++j) {
    const uint32_t i = first + j * kStreamThreads;
    if (i >= fours) break;
    int* plane = kPlanes && i % 8 >= 4 ? x.second : x.quants;
    plane[kPlanes ? i / 8 * 4 + i % 4 : i] = static_cast<int>(packed[j]);
    if (kSums && i % 4 == 0) x.sums[i / 4] = sums[j];
    if (i % 8 == 0) x.scales[i / 8] = AsFloat(most[j]) * (1.0f / 127.0f);
  }
}

// The norm of a row: each thread of kStreamThreads adds the squares of its elements, in order, and
// leaves the sum of its warp in `scratch`. After a barrier all have the factor.
DEVICE inline float AddSquares(Float4 v, float squares) {
#pragma unroll
  for (int e = 0; e < 4; ++e) squares = Fma(v[e], v[e], squares);
  return squares;
}
DEVICE inline void StoreSquares(float squares, float* scratch) {
  squares = WarpSum(squares);
  if (ThreadIndex() % 32 == 0) scratch[ThreadIndex() / 32] = squares;
}
DEVICE inline float NormFactor(const float* scratch, float inverse_columns, float eps) {
  float sum = 0;
#pragma unroll
  for (uint32_t i = 0; i < kStreamThreads / 32; i += 4) {
    const Float4 four = *reinterpret_cast<const Float4*>(scratch + i);
    sum += four.x + four.y + (four.z + four.w);
  }
  return InverseSquareRoot(Fma(sum, inverse_columns, eps));
}

// What belongs to unit `unit` of a row.
template <Type kType>
struct PartOfX {
  static constexpr int kInts = WordsOfX(kType);
  int values[kInts];
  float scale;
  int sums[2];

  template <bool kInShared>
  DEVICE void Load(const RowOfX& x, uint32_t unit) {
#pragma unroll
    for (int i = 0; i < kInts; i += 4) {
      constexpr bool kPlanes = kInShared && HasPlanes(kType);
      const int* from =
          kPlanes ? (i == 0 ? x.quants : x.second) + unit * 4 : x.quants + unit * kInts + i;
      const Int4 four = kInShared ? LoadShared(from) : *reinterpret_cast<const Int4*>(from);
#pragma unroll
      for (int j = 0; j < 4; ++j) values[i + j] = four[j];
    }
    if constexpr (kType == Type::kQ8_0) scale = x.scales[unit / 2];
    if constexpr (IsQuantized(kType) && kType != Type::kQ8_0) {
      scale = x.scales[unit];
      const Int2 two = *reinterpret_cast<const Int2*>(x.sums + unit * 2);
      sums[0] = two.x;
      sums[1] = two.y;
    }
  }
};

template <Type kType>
DEVICE inline float AddProduct(const Unit<kType>& u, const PartOfX<kType>& x, float sum) {
  if constexpr (!IsQuantized(kType)) {
    // Two chains of their own for each unit: one for all elements of a row would take as long as
    // the latencies of all its additions.
    float chains[2] = {};
    ForEachElement(u, [&](int i, float value) {
      chains[i % 2] = Fma(value, AsFloat(static_cast<uint32_t>(x.values[i])), chains[i % 2]);
    });
    return sum + (chains[0] + chains[1]);
  } else if constexpr (kType == Type::kQ8_0) {
    int dot = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) dot = Dot4(u.quants[i], x.values[i], dot);
    return Fma(static_cast<float>(dot), ScaleOf(u, 0) * x.scale, sum);
  } else {
    int dots[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      dots[half] = -QuantOffset(kType) * x.sums[half];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        dots[half] = Dot4(QuantsOf(u, half * 4 + i), x.values[half * 4 + i], dots[half]);
      }
    }
    float product;
    if constexpr (kType == Type::kQ6K) {
      product = Fma(ScaleOf(u, 1), static_cast<float>(dots[1]),
                    ScaleOf(u, 0) * static_cast<float>(dots[0]));
    } else {
      product = ScaleOf(u, 0) * static_cast<float>(dots[0] + dots[1]);
      if constexpr (HasSupers(kType)) {
        product = Fma(-MinimumOf(u), static_cast<float>(x.sums[0] + x.sums[1]), product);
      }
    }
    return Fma(product, x.scale, sum);
  }
}

}  // namespace infer::cuda
