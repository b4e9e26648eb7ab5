// SPDX-License-Identifier: Apache-2.0
//
// Products of 2 to 64 rows of x on tensor cores. A block computes 16 outputs of all tokens at a
// time; its warps share the columns, in strips of 128, and add their sums through shared memory, in
// order. Weights go from memory to the operands of the tensor cores without a detour, quantised
// ones as int8: the order of the columns within 32 is free as long as x has the same. The first
// strip of every warp is on its way before the previous launch has ended, and later the next one
// while one is computed.
#pragma once

#include "backends/cuda/kernels/weights.h"

namespace infer::cuda {

constexpr int kStripBlocks = kFewColumns / 32;

// The part of the block: all parts are read, and then one is taken, field by field, because a
// choice between arguments would make the compiler copy them to the stack of each thread.
DEVICE inline PartArgs ChoosePart(const PartArgs* parts, uint32_t count, uint32_t block) {
  PartArgs chosen = parts[0];
#pragma unroll
  for (uint32_t i = 1; i < kMaxParts; ++i) {
    const PartArgs part = parts[i];
    const bool mine = i < count && block >= part.first_block;
    chosen.weight.quants = mine ? part.weight.quants : chosen.weight.quants;
    chosen.weight.high = mine ? part.weight.high : chosen.weight.high;
    chosen.weight.scales = mine ? part.weight.scales : chosen.weight.scales;
    chosen.weight.supers = mine ? part.weight.supers : chosen.weight.supers;
    chosen.out = mine ? part.out : chosen.out;
    chosen.rows = mine ? part.rows : chosen.rows;
    chosen.first_block = mine ? part.first_block : chosen.first_block;
  }
  return chosen;
}

// What a lane holds of a strip of a weight row. Lane j of four has, of each 32 elements, 8j .. 8j +
// 7 (f16, bf16 and q8_0) or 4j .. 4j + 3 and 16 more (other types).
template <Type kType>
struct Strip {
  static constexpr int kWords = !IsQuantized(kType) ? 4 : kType == Type::kQ8_0 ? 2 : 1;
  int words[kStripBlocks][kWords];
  Int4 high[2];
  Int2 scales;
  uint32_t supers;

  // `first`: the first block of 32 elements of the strip, of the whole weight.
  DEVICE void Load(const WeightArgs& w, uint64_t first, uint32_t j) {
#pragma unroll
    for (int b = 0; b < kStripBlocks; ++b) {
      if constexpr (!IsQuantized(kType)) {
        const Int4 four = LoadOnce(w.quants + (first + b) * 64 + j * 16);
#pragma unroll
        for (int i = 0; i < 4; ++i) words[b][i] = four[i];
      } else if constexpr (kType == Type::kQ8_0) {
        const Int2 two = *reinterpret_cast<const Int2*>(w.quants + (first + b) * 32 + j * 8);
        words[b][0] = two.x;
        words[b][1] = two.y;
      } else {
        words[b][0] = *reinterpret_cast<const int*>(w.quants + (first + b) * 16 + j * 4);
      }
    }
    if constexpr (kType == Type::kQ5K) {
      high[0] = *reinterpret_cast<const Int4*>(w.high + first * 4);
    } else if constexpr (kType == Type::kQ6K) {
      high[0] = *reinterpret_cast<const Int4*>(w.high + first * 8);
      high[1] = *reinterpret_cast<const Int4*>(w.high + first * 8 + 16);
    }
    if constexpr (IsQuantized(kType)) {
      scales = *reinterpret_cast<const Int2*>(w.scales + first * 2);
    }
    if constexpr (HasSupers(kType)) {
      supers = reinterpret_cast<const uint32_t*>(w.supers)[first / 8];
    }
  }

  // Block b as int8: the operands of the first or second 16 columns of the product.
  DEVICE uint32_t Quants(int b, int half, uint32_t j) const {
    if constexpr (kType == Type::kQ8_0) {
      return static_cast<uint32_t>(words[b][half]);
    } else {
      uint32_t quants = static_cast<uint32_t>(words[b][0]) >> (4 * half) & 0x0f0f0f0f;
      if constexpr (kType == Type::kQ5K) {
        quants |= (static_cast<uint32_t>(high[0][b]) >> (4 * half + j) & 0x01010101) << 4;
      }
      if constexpr (kType == Type::kQ6K) {
        quants |= (static_cast<uint32_t>(high[b / 2][b % 2 * 2 + half]) >> (2 * j) & 0x03030303)
                  << 4;
      }
      // Byte by byte, without borrowing: quants are below 0x80.
      constexpr uint32_t kOffset = QuantOffset(kType) * 0x01010101u;
      if constexpr (kOffset != 0) quants = ((quants | 0x80808080) - kOffset) ^ 0x80808080;
      return quants;
    }
  }
  // Block b without quants, for ScaleOf and MinimumOf.
  DEVICE Unit<kType> Scales(int b) const {
    Unit<kType> u = {};
    u.scales = static_cast<uint32_t>(scales[b / 2]) >> (b % 2 * 16) & 0xffff;
    u.supers = supers;
    return u;
  }
};

// Rows of x: int8 with scales (unit_product.h), or 16-bit floats. Offsets have 32 bits, which saves
// registers: there are at most 64 rows.
template <Type kType>
struct FewX {
  const unsigned char* rows;
  const float* scales;
  uint32_t columns;

  DEVICE explicit FewX(const MatvecArgs& args) : rows(args.rounded), columns(args.columns) {
    scales = reinterpret_cast<const float*>(rows + args.tokens * (columns + columns / 4));
  }
  // What lane j has of a block of 32 elements, in the order of a weight's.
  DEVICE Int4 Operands(uint32_t token, uint32_t block, uint32_t j) const {
    const uint32_t at = token * columns + block * 32;
    if constexpr (!IsQuantized(kType)) {
      return *reinterpret_cast<const Int4*>(rows + (at * 2 + j * 16));
    } else if constexpr (kType == Type::kQ8_0) {
      const Int2 two = *reinterpret_cast<const Int2*>(rows + (at + j * 8));
      return {two.x, two.y, 0, 0};
    } else {
      const auto word = [&](uint32_t i) { return *reinterpret_cast<const int*>(rows + i); };
      return {word(at + j * 4), word(at + j * 4 + 16), 0, 0};
    }
  }
  // Of the blocks of a strip.
  DEVICE Float4 Scales(uint32_t token, uint32_t block) const {
    return *reinterpret_cast<const Float4*>(scales + (token * (columns / 32) + block));
  }
};

// Adds the products of block b of two weight rows and of x for 8 tokens. A lane has four sums: its
// rows are `low` and `high`, its tokens those of `scale`.
template <Type kType>
DEVICE inline void AddBlock(const Strip<kType>& low, const Strip<kType>& high, int b, uint32_t j,
                            const Int4& x, const float (&scale)[2], float (&sums)[4]) {
  const auto u32 = [](int word) { return static_cast<uint32_t>(word); };
  if constexpr (!IsQuantized(kType)) {
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const Fragment4 a = {{u32(low.words[b][i]), u32(high.words[b][i]), u32(low.words[b][i + 1]),
                            u32(high.words[b][i + 1])}};
      if constexpr (kType == Type::kBf16) {
        MmaBf16(sums, a, u32(x[i]), u32(x[i + 1]));
      } else {
        MmaF16(sums, a, u32(x[i]), u32(x[i + 1]));
      }
    }
  } else {
    const Fragment4 a = {
        {low.Quants(b, 0, j), high.Quants(b, 0, j), low.Quants(b, 1, j), high.Quants(b, 1, j)}};
    const Unit<kType> rows[2] = {low.Scales(b), high.Scales(b)};
    float products[4];
    if constexpr (kType == Type::kQ6K) {
      int first[4] = {}, second[4] = {};
      MmaInt8(first, a.r[0], a.r[1], u32(x.x));
      MmaInt8(second, a.r[2], a.r[3], u32(x.y));
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        products[i] = Fma(ScaleOf(rows[i / 2], 1), static_cast<float>(second[i]),
                          ScaleOf(rows[i / 2], 0) * static_cast<float>(first[i]));
      }
    } else {
      int dots[4] = {};
      MmaInt8(dots, a, u32(x.x), u32(x.y));
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        products[i] = ScaleOf(rows[i / 2], 0) * static_cast<float>(dots[i]);
      }
    }
    if constexpr (kType == Type::kQ4K || kType == Type::kQ5K) {
      constexpr uint32_t kOnes = 0x01010101;
      int totals[4] = {};  // of x
      MmaInt8(totals, {{kOnes, kOnes, kOnes, kOnes}}, u32(x.x), u32(x.y));
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        products[i] = Fma(-MinimumOf(rows[i / 2]), static_cast<float>(totals[i]), products[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = Fma(products[i], scale[i % 2], sums[i]);
  }
}

template <Type kType, int kTokens>
DEVICE inline void Few(const MatvecArgs& args) {
  LetNextStart();
  constexpr int kTiles = kTokens / 8;
  constexpr uint32_t kWarps = kFewThreads / 32;
  // Four more, so that the lanes of a warp write to different banks.
  constexpr uint32_t kStride = kFewOutputs + 4;
  const PartArgs part = ChoosePart(args.parts, args.num_parts, BlockX());
  const uint32_t thread = ThreadIndex(), lane = thread % 32, warp = thread / 32;
  const uint32_t group = lane / 4, j = lane % 4;
  uint32_t output = (BlockX() - part.first_block) * args.outputs_of_block;
  const uint32_t end =
      output + args.outputs_of_block < part.rows ? output + args.outputs_of_block : part.rows;
  const uint32_t blocks = args.columns / 32, strips = args.columns / kFewColumns;

  Strip<kType> held[2], next[2];
  const auto load = [&](Strip<kType>(&to)[2], uint32_t first_row, uint32_t strip) {
#pragma unroll
    for (uint32_t i = 0; i < 2; ++i) {
      // Rows that do not exist repeat the last one: without branches, loads overlap.
      const uint32_t row = first_row + i * 8 + group;
      const uint64_t from = row < part.rows ? row : part.rows - 1;
      to[i].Load(part.weight, from * blocks + strip * kStripBlocks, j);
    }
  };
  if (warp < strips) load(held, output, warp);
  WaitForPrevious();
  const FewX<kType> x(args);
  const auto existing = [&](uint32_t token) {
    return token < args.tokens ? token : args.tokens - 1;
  };
  float* shared = reinterpret_cast<float*>(SharedMemory());
#pragma clang loop unroll(disable)
  for (; output < end; output += kFewOutputs) {
    float sums[kTiles][4] = {};
#pragma clang loop unroll(disable)
    for (uint32_t strip = warp; strip < strips; strip += kWarps) {
      if (strip + kWarps < strips) {
        load(next, output, strip + kWarps);
      } else if (output + kFewOutputs < end) {
        load(next, output + kFewOutputs, warp);
      }
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        Float4 scales[2] = {};
        if constexpr (IsQuantized(kType)) {
#pragma unroll
          for (uint32_t i = 0; i < 2; ++i) {
            scales[i] = x.Scales(existing(tile * 8 + j * 2 + i), strip * kStripBlocks);
          }
        }
        const uint32_t token = existing(tile * 8 + group);
#pragma unroll
        for (int b = 0; b < kStripBlocks; ++b) {
          const Int4 operands = x.Operands(token, strip * kStripBlocks + b, j);
          const float scale[2] = {scales[0][b], scales[1][b]};
          AddBlock(held[0], held[1], b, j, operands, scale, sums[tile]);
        }
      }
      held[0] = next[0];
      held[1] = next[1];
    }

#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t token = tile * 8 + j * 2 + i % 2, row = i / 2 * 8 + group;
        shared[(warp * kTokens + token) * kStride + row] = sums[tile][i];
      }
    }
    Barrier();
    for (uint32_t i = thread; i < kTokens * kFewOutputs; i += kFewThreads) {
      const uint32_t token = i / kFewOutputs, row = i % kFewOutputs;
      if (token >= args.tokens || output + row >= part.rows) continue;
      float sum = 0;
#pragma unroll
      for (uint32_t w = 0; w < kWarps; ++w) sum += shared[(w * kTokens + token) * kStride + row];
      if (args.factors != nullptr) sum *= args.factors[token];
      const uint64_t at = static_cast<uint64_t>(token) * part.rows + output + row;
      part.out[at] = args.residual == nullptr ? sum : args.residual[at] + sum;
    }
    Barrier();
  }
}

}  // namespace infer::cuda

// One or two blocks on a multiprocessor: 255 or 128 registers.
#define INFER_FEW(type, kType, tokens, blocks)                                    \
  INFER_BOUNDED_KERNEL(few_##type##_t##tokens, MatvecArgs, kFewThreads, blocks) { \
    Few<kType, tokens>(args);                                                     \
  }
#define INFER_FEWS(type, kType) \
  INFER_FEW(type, kType, 8, 2)  \
  INFER_FEW(type, kType, 16, 2) \
  INFER_FEW(type, kType, 32, 2) \
  INFER_FEW(type, kType, 64, 1)
