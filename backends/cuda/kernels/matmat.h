// SPDX-License-Identifier: Apache-2.0
//
// Products of many rows of x on tensor cores: tiles of kTokens x 64, 64 columns a step. x comes as
// 16-bit rows (convert.cu). Quantised weights are widened to f16 on their way to shared memory,
// with one step on its way while another is computed; f16 and bf16 are copied as they are, with
// three steps on their way. Blocks may share the columns of a tile, so that few tiles fill the card
// too.
#pragma once

#include "backends/cuda/kernels/weights.h"

namespace infer::cuda {

// Rows of shared memory are 16 bytes longer than a step, so that the 8 rows of a matrix are in
// different banks.
constexpr int kTileStride = kMatmatInner + 8;

template <Type kType>
DEVICE inline uint32_t PackPair(float low, float high) {
  return kType == Type::kBf16 ? PackBf16(low, high) : PackHalves(low, high);
}

// 32 columns of a weight row: what a thread brings in each step.
template <Type kType>
struct WeightRun {
  static constexpr int kUnits = 32 / UnitElements(kType);
  Unit<kType> units[kUnits];
  bool exists;

  DEVICE void Load(const WeightArgs& w, uint32_t row, uint32_t rows, uint32_t column,
                   uint32_t columns) {
    exists = row < rows && column < columns;
    if (!exists) return;
    const uint64_t first = (static_cast<uint64_t>(row) * columns + column) / UnitElements(kType);
#pragma unroll
    for (int i = 0; i < kUnits; ++i) units[i] = LoadUnit<kType>(w, first + i);
  }

  DEVICE void Store(uint16_t* to) const {
    Int4* out = reinterpret_cast<Int4*>(to);
    if (!exists) {
#pragma unroll
      for (int i = 0; i < 4; ++i) out[i] = Int4{0, 0, 0, 0};
    } else if constexpr (!IsQuantized(kType)) {
#pragma unroll
      for (int i = 0; i < 4; ++i) out[i] = units[i].quants;
    } else {
      int packed[16];
#pragma unroll
      for (int i = 0; i < kUnits; ++i) {
        float even = 0;
        ForEachElement(units[i], [&](int j, float value) {
          if (j % 2 == 0) {
            even = value;
          } else {
            packed[(i * UnitElements(kType) + j) / 2] = static_cast<int>(PackHalves(even, value));
          }
        });
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        out[i] = Int4{packed[4 * i], packed[4 * i + 1], packed[4 * i + 2], packed[4 * i + 3]};
      }
    }
  }
};

template <Type kType, int kTokens>
DEVICE inline void Matmat(const MatmatArgs& args) {
  LetNextStart();
  constexpr int kWarpTokens = kTokens / 2, kWarpOutputs = kMatmatOutputs / 2;
  constexpr int kM = kWarpTokens / 16, kN = kWarpOutputs / 8;
  constexpr int kStage = (kTokens + kMatmatOutputs) * kTileStride;
  constexpr bool kDirect = !IsQuantized(kType);
  constexpr uint32_t kStages = kDirect ? kMatmatDirectStages : kMatmatStages;
  uint16_t* shared = reinterpret_cast<uint16_t*>(SharedMemory());
  uint32_t part_at = 0;
  while (part_at + 1 < args.num_parts &&
         static_cast<uint32_t>(BlockX()) >= args.parts[part_at + 1].first_block) {
    ++part_at;
  }
  const PartArgs& part = args.parts[part_at];
  const uint32_t thread = ThreadIndex(), lane = thread % 32, warp = thread / 32;
  const uint32_t first_output = (BlockX() - part.first_block) * kMatmatOutputs;
  const uint32_t first_token = BlockY() * kTokens;
  const uint32_t columns = args.columns;
  // The columns of this block.
  const uint32_t steps = (columns + kMatmatInner - 1) / kMatmatInner, split = BlockZ();
  const uint32_t begin = split * steps / args.splits * kMatmatInner;
  const uint32_t end = (split + 1) * steps / args.splits * kMatmatInner;
  // The run of the weight that this thread brings.
  const uint32_t run_row = thread / 2, run_column = thread % 2 * 32;

  WeightRun<kType> run;
  auto load_weights = [&](uint32_t column) {
    run.Load(part.weight, first_output + run_row, part.rows, column + run_column, columns);
  };
  auto store_weights = [&](uint16_t* stage) {
    run.Store(stage + (kTokens + run_row) * kTileStride + run_column);
  };
  auto load_tokens = [&](uint16_t* stage, uint32_t column) {
#pragma unroll
    for (int i = 0; i < kTokens * 8 / static_cast<int>(kMatmatThreads); ++i) {
      const uint32_t at = thread + i * kMatmatThreads;
      const uint32_t token = at / 8, piece = at % 8 * 8;
      const bool exists = first_token + token < args.tokens && column + piece < columns;
      const uint64_t from =
          exists ? static_cast<uint64_t>(first_token + token) * columns + column + piece : 0;
      CopyAsync16(stage + token * kTileStride + piece, args.x + from, exists);
    }
  };

  auto copy_weights = [&](uint16_t* stage, uint32_t column) {
#pragma unroll
    for (int i = 0; i < static_cast<int>(kMatmatOutputs * 8 / kMatmatThreads); ++i) {
      const uint32_t at = thread + i * kMatmatThreads;
      const uint32_t row = at / 8, piece = at % 8 * 8;
      const bool exists = first_output + row < part.rows && column + piece < columns;
      const uint64_t from =
          exists ? static_cast<uint64_t>(first_output + row) * columns + column + piece : 0;
      CopyAsync16(stage + (kTokens + row) * kTileStride + piece, part.weight.quants + from * 2,
                  exists);
    }
  };

  // The first steps.
  if constexpr (kDirect) {
#pragma unroll
    for (uint32_t i = 0; i + 1 < kStages; ++i) {
      if (begin + i * kMatmatInner < end) {
        copy_weights(shared + i * kStage, begin + i * kMatmatInner);
      }
    }
    WaitForPrevious();
#pragma unroll
    for (uint32_t i = 0; i + 1 < kStages; ++i) {
      if (begin + i * kMatmatInner < end) {
        load_tokens(shared + i * kStage, begin + i * kMatmatInner);
      }
      CommitCopies();
    }
  } else {
    load_weights(begin);
    WaitForPrevious();
    load_tokens(shared, begin);
    store_weights(shared);
  }
  float sums[kM][kN][4] = {};
  const uint32_t warp_token = warp / 2 * kWarpTokens, warp_output = warp % 2 * kWarpOutputs;
  uint32_t stage = 0;
  for (uint32_t column = begin; column < end;
       column += kMatmatInner, stage = (stage + 1) % kStages) {
    if constexpr (kDirect) {
      WaitCopyGroups<kStages - 2>();
    } else {
      WaitCopies();
    }
    Barrier();
    const uint32_t next_column = column + (kStages - 1) * kMatmatInner;
    const bool has_next = next_column < end;
    uint16_t* next = shared + (stage + kStages - 1) % kStages * kStage;
    if (has_next) {
      load_tokens(next, next_column);
      if constexpr (kDirect) {
        copy_weights(next, next_column);
      } else {
        load_weights(next_column);
      }
    }
    CommitCopies();
    const uint16_t* x = shared + stage * kStage;
    const uint16_t* w = x + kTokens * kTileStride;
#pragma unroll
    for (int k = 0; k < static_cast<int>(kMatmatInner); k += 16) {
      Fragment4 a[kM];
#pragma unroll
      for (int m = 0; m < kM; ++m) {
        const uint32_t row = warp_token + m * 16 + lane % 16;
        a[m] = LoadMatrices(x + row * kTileStride + k + lane / 16 * 8);
      }
#pragma unroll
      for (int n = 0; n < kN; n += 2) {
        // Two tiles of 8 outputs, both halves of the 16 columns.
        const uint32_t row = warp_output + n * 8 + lane / 16 * 8 + lane % 8;
        const Fragment4 b = LoadMatrices(w + row * kTileStride + k + lane / 8 % 2 * 8);
#pragma unroll
        for (int m = 0; m < kM; ++m) {
          if constexpr (kType == Type::kBf16) {
            MmaBf16(sums[m][n], a[m], b.r[0], b.r[1]);
            MmaBf16(sums[m][n + 1], a[m], b.r[2], b.r[3]);
          } else {
            MmaF16(sums[m][n], a[m], b.r[0], b.r[1]);
            MmaF16(sums[m][n + 1], a[m], b.r[2], b.r[3]);
          }
        }
      }
    }
    if (!kDirect && has_next) store_weights(next);
  }

#pragma unroll
  for (int m = 0; m < kM; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint32_t token = first_token + warp_token + m * 16 + half * 8 + lane / 4;
      if (token >= args.tokens) continue;
      const float scale = args.scales[token];
      const uint64_t row = static_cast<uint64_t>(token) * part.rows;
      const auto store = [&](uint32_t output, float value) {
        if (args.splits > 1) {
          args.partials[(split * static_cast<uint64_t>(args.tokens) + token) * args.rows +
                        part.first_block * kMatmatOutputs + output] = value;
          return;
        }
        if (output >= part.rows) return;
        part.out[row + output] =
            args.residual == nullptr ? value : args.residual[row + output] + value;
      };
#pragma unroll
      for (int n = 0; n < kN; ++n) {
        const uint32_t output = first_output + warp_output + n * 8 + lane % 4 * 2;
        store(output, sums[m][n][half * 2] * scale);
        store(output + 1, sums[m][n][half * 2 + 1] * scale);
      }
    }
  }
}

}  // namespace infer::cuda

#define INFER_MATMATS(type, kType)                                           \
  INFER_KERNEL(matmat_##type##_m32, MatmatArgs) { Matmat<kType, 32>(args); } \
  INFER_KERNEL(matmat_##type##_m64, MatmatArgs) { Matmat<kType, 64>(args); } \
  INFER_KERNEL(matmat_##type##_m128, MatmatArgs) { Matmat<kType, 128>(args); }
