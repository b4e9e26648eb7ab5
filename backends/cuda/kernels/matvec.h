// SPDX-License-Identifier: Apache-2.0
//
// Products of a few rows of x. A warp computes kRows outputs; its lanes hold 16 bytes of each
// weight row at a time. The first kSteps loads of every row start before the previous launch has
// ended, because weights do not depend on it: that is what hides the latency of memory between
// launches.
#pragma once

#include "backends/cuda/kernels/weights.h"

namespace infer::cuda {

// x rounded to int8 in groups of 32: in shared memory for one token, else as round_int8 left it.
struct Int8Rows {
  int* quants;    // [tokens][columns / 4], four elements each
  float* scales;  // [tokens][columns / 32]
  int* sums;      // [tokens][columns / 16], of the quants
};

DEVICE inline Int8Rows Int8RowsAt(unsigned char* at, uint64_t tokens, uint32_t columns) {
  Int8Rows rows;
  rows.quants = reinterpret_cast<int*>(at);
  rows.scales = reinterpret_cast<float*>(at + tokens * columns);
  rows.sums = reinterpret_cast<int*>(at + tokens * columns + tokens * (columns / 8));
  return rows;
}

// Rounds elements 4i .. 4i + 3; eight lanes have a group. A group with a number that is not finite
// gets that as its scale.
DEVICE inline void RoundFour(Float4 v, uint32_t i, bool exists, const Int8Rows& rows) {
  uint32_t most = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const uint32_t bits = AsBits(v[j]) & 0x7fffffff;
    most = bits > most ? bits : most;
  }
#pragma unroll
  for (int mask = 4; mask > 0; mask >>= 1) {
    const uint32_t other = AsBits(ShuffleXor(AsFloat(most), mask));
    most = other > most ? other : most;
  }
  const float scale = AsFloat(most) * (1.0f / 127.0f);
  // Below, the scale or its inverse would not be a normal float.
  const bool usable = most >= 0x04800000 && most < 0x7e800000;
  const float inverse = usable ? 127.0f * Reciprocal(AsFloat(most)) : 0.0f;
  uint32_t packed = 0;
  int sum = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int quant = static_cast<int>(__builtin_rintf(v[j] * inverse));
    packed |= static_cast<uint32_t>(quant & 0xff) << (8 * j);
    sum += quant;
  }
#pragma unroll
  for (int mask = 2; mask > 0; mask >>= 1) {
    sum += static_cast<int>(AsBits(ShuffleXor(AsFloat(static_cast<uint32_t>(sum)), mask)));
  }
  if (!exists) return;
  rows.quants[i] = static_cast<int>(packed);
  if (i % 4 == 0) rows.sums[i / 4] = sum;
  if (i % 8 == 0) rows.scales[i / 8] = usable || most >= 0x7f800000 ? scale : 0.0f;
}

// Rounds a row by a block of kMatvecThreads; its loads all start before the first is used.
DEVICE inline void RoundRow(const float* x, uint32_t columns, const Int8Rows& rows) {
  constexpr uint32_t kHeld = 8;
  const uint32_t fours = columns / 4;
  for (uint32_t first = 0; first < fours; first += kHeld * kMatvecThreads) {
    Float4 held[kHeld];
#pragma unroll
    for (uint32_t j = 0; j < kHeld; ++j) {
      const uint32_t i = first + j * kMatvecThreads + ThreadIndex();
      held[j] = i < fours ? reinterpret_cast<const Float4*>(x)[i] : Float4{0, 0, 0, 0};
    }
#pragma unroll
    for (uint32_t j = 0; j < kHeld; ++j) {
      // A warp has all its lanes or none, but for the end of the row.
      if (first + j * kMatvecThreads >= fours) break;
      const uint32_t i = first + j * kMatvecThreads + ThreadIndex();
      RoundFour(held[j], i, i < fours, rows);
    }
  }
}

// The product of a unit with a token of x. `unit` counts within a row.
template <Type kType>
DEVICE inline float UnitProduct(const Unit<kType>& u, const Int8Rows& rows, uint32_t token,
                                uint32_t columns, uint32_t unit) {
  if constexpr (kType == Type::kQ8_0) {
    const Int4 x = *reinterpret_cast<const Int4*>(rows.quants + token * (columns / 4) + unit * 4);
    int dot = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) dot = Dot4(u.quants[i], x[i], dot);
    return static_cast<float>(dot) *
           (ScaleOf(u, 0) * rows.scales[token * (columns / 32) + unit / 2]);
  } else {
    const Int4* x = reinterpret_cast<const Int4*>(rows.quants + token * (columns / 4) + unit * 8);
    const int* sums = rows.sums + token * (columns / 16) + unit * 2;
    const float x_scale = rows.scales[token * (columns / 32) + unit];
    int dots[2] = {0, 0};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Int4 part = x[half];
#pragma unroll
      for (int i = 0; i < 4; ++i) dots[half] = Dot4(QuantsOf(u, half * 4 + i), part[i], dots[half]);
      dots[half] -= QuantOffset(kType) * sums[half];
    }
    if constexpr (kType == Type::kQ6K) {
      const float sum = Fma(ScaleOf(u, 1), static_cast<float>(dots[1]),
                            ScaleOf(u, 0) * static_cast<float>(dots[0]));
      return sum * x_scale;
    } else {
      float sum = ScaleOf(u, 0) * static_cast<float>(dots[0] + dots[1]);
      if constexpr (HasSupers(kType)) {
        sum = Fma(-MinimumOf(u), static_cast<float>(sums[0] + sums[1]), sum);
      }
      return sum * x_scale;
    }
  }
}

// The same with the elements of x that belong to the unit, in f32.
template <Type kType>
DEVICE inline float UnitProduct(const Unit<kType>& u, const Float4 (&x)[UnitElements(kType) / 4]) {
  float sum = 0;
  ForEachElement(u, [&](int i, float value) { sum = Fma(value, x[i / 4][i % 4], sum); });
  return sum;
}

DEVICE inline const PartArgs& PartOf(const PartArgs* parts, uint32_t count, uint32_t block) {
  uint32_t i = 0;
  while (i + 1 < count && block >= parts[i + 1].first_block) ++i;
  return parts[i];
}

// Tokens [BlockY * kTokens, ...) of the call.
template <Type kType, int kTokens, int kRows, int kSteps>
DEVICE inline void Matvec(const MatvecArgs& args) {
  LetNextStart();
  const PartArgs& part = PartOf(args.parts, args.num_parts, BlockX());
  const uint32_t lane = ThreadIndex() % 32;
  const uint32_t warp = ThreadIndex() / 32;
  const uint32_t row =
      ((static_cast<uint32_t>(BlockX()) - part.first_block) * (kMatvecThreads / 32) + warp) * kRows;
  const uint32_t columns = args.columns;
  const uint32_t units = columns / UnitElements(kType);
  Unit<kType> held[kRows][kSteps];
  auto load = [&](uint32_t first) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        const uint32_t unit = first + s * 32 + lane;
        if (row + r < part.rows && unit < units) {
          held[r][s] = LoadUnit<kType>(part.weight, static_cast<uint64_t>(row + r) * units + unit);
        }
      }
    }
  };
  load(0);
  WaitForPrevious();
  const uint32_t token = BlockY() * kTokens;
  const int tokens =
      args.tokens - token < kTokens ? static_cast<int>(args.tokens - token) : kTokens;
  const float* x = args.x + static_cast<uint64_t>(token) * columns;
  Int8Rows rows;
  if constexpr (IsQuantized(kType)) {
    if constexpr (kTokens == 1) {
      rows = Int8RowsAt(SharedMemory(), 1, columns);
      RoundRow(x, columns, rows);
      Barrier();
    } else {
      rows = Int8RowsAt(args.rounded, args.tokens, columns);
    }
  }
  float sum[kRows][kTokens] = {};
  for (uint32_t first = 0; first < units; first += kSteps * 32) {
    if (first > 0) load(first);
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      const uint32_t unit = first + s * 32 + lane;
      if (unit >= units) continue;
#pragma unroll
      for (int t = 0; t < kTokens; ++t) {
        if (t >= tokens) break;
        if constexpr (IsQuantized(kType)) {
          const uint32_t row_of_x = kTokens == 1 ? 0 : token + t;
#pragma unroll
          for (int r = 0; r < kRows; ++r) {
            if (row + r >= part.rows) break;
            sum[r][t] += UnitProduct(held[r][s], rows, row_of_x, columns, unit);
          }
        } else {
          constexpr int kFours = UnitElements(kType) / 4;
          Float4 part_of_x[kFours];
#pragma unroll
          for (int i = 0; i < kFours; ++i) {
            part_of_x[i] = reinterpret_cast<const Float4*>(x + static_cast<uint64_t>(t) *
                                                                   columns)[unit * kFours + i];
          }
#pragma unroll
          for (int r = 0; r < kRows; ++r) {
            if (row + r >= part.rows) break;
            sum[r][t] += UnitProduct(held[r][s], part_of_x);
          }
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int t = 0; t < kTokens; ++t) {
      const float total = WarpSum(sum[r][t]);
      if (lane == 0 && row + r < part.rows && t < tokens) {
        const uint64_t at = static_cast<uint64_t>(token + t) * part.rows + row + r;
        part.out[at] = args.residual == nullptr ? total : args.residual[at] + total;
      }
    }
  }
}

}  // namespace infer::cuda

// 1 token of a shape that cannot be streamed (stream.h); 2, 4 and 8 tokens.
#define INFER_MATVECS(type, kType)                                               \
  INFER_KERNEL(matvec_##type##_t1, MatvecArgs) { Matvec<kType, 1, 2, 2>(args); } \
  INFER_KERNEL(matvec_##type##_t2, MatvecArgs) { Matvec<kType, 2, 2, 2>(args); } \
  INFER_KERNEL(matvec_##type##_t4, MatvecArgs) { Matvec<kType, 4, 2, 2>(args); } \
  INFER_KERNEL(matvec_##type##_t8, MatvecArgs) { Matvec<kType, 8, 2, 1>(args); }
