// SPDX-License-Identifier: Apache-2.0
//
// Products of a few rows of x. A warp computes kRows outputs; its lanes hold 16 bytes of each
// weight row at a time. The first kSteps loads of every row start before the previous launch has
// ended, because weights do not depend on it: that is what hides the latency of memory between
// launches.
#pragma once

#include "backends/cuda/kernels/unit_product.h"

namespace infer::cuda {

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
  // Rows and tokens that do not exist repeat the last one: without branches, loads overlap.
  auto load = [&](uint32_t first) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const uint64_t from = row + r < part.rows ? row + r : part.rows - 1;
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        const uint32_t unit = first + s * 32 + lane;
        if (unit < units) held[r][s] = LoadUnit<kType>(part.weight, from * units + unit);
      }
    }
  };
  load(0);
  WaitForPrevious();
  const uint32_t token = BlockY() * kTokens;
  const int tokens =
      args.tokens - token < kTokens ? static_cast<int>(args.tokens - token) : kTokens;
  const auto row_of_x = [&](uint64_t t) -> RowOfX {
    if constexpr (IsQuantized(kType)) return Int8Row(args.rounded, args.tokens, columns, t);
    return {reinterpret_cast<int*>(const_cast<float*>(args.x + t * columns)), nullptr, nullptr,
            nullptr};
  };
  float sum[kRows][kTokens] = {};
  for (uint32_t first = 0; first < units; first += kSteps * 32) {
    if (first > 0) load(first);
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      const uint32_t unit = first + s * 32 + lane;
      if (unit >= units) continue;
#pragma unroll
      for (int t = 0; t < kTokens; ++t) {
        PartOfX<kType> part_of_x;
        part_of_x.template Load<false>(row_of_x(token + (t < tokens ? t : tokens - 1)), unit);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          sum[r][t] = AddProduct(held[r][s], part_of_x, sum[r][t]);
        }
      }
    }
  }
  // Step by step for all sums, so that the latencies of the exchanges overlap.
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int t = 0; t < kTokens; ++t) sum[r][t] += ShuffleXor(sum[r][t], mask);
    }
  }
  float mine = 0;  // lane r * kTokens + t has that of row r and token t
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int t = 0; t < kTokens; ++t) {
      mine = lane == static_cast<uint32_t>(r * kTokens + t) ? sum[r][t] : mine;
    }
  }
  const uint32_t output = row + lane / kTokens, of = token + lane % kTokens;
  if (lane >= kRows * kTokens || output >= part.rows || of >= args.tokens) return;
  const uint64_t at = static_cast<uint64_t>(of) * part.rows + output;
  if (args.factors != nullptr) mine *= args.factors[of];
  part.out[at] = args.residual == nullptr ? mine : args.residual[at] + mine;
}

}  // namespace infer::cuda

// 1 token of a shape that cannot be streamed (stream.h); 2, 4 and 8 tokens.
#define INFER_MATVECS(type, kType)                                               \
  INFER_KERNEL(matvec_##type##_t1, MatvecArgs) { Matvec<kType, 1, 2, 2>(args); } \
  INFER_KERNEL(matvec_##type##_t2, MatvecArgs) { Matvec<kType, 2, 2, 2>(args); } \
  INFER_KERNEL(matvec_##type##_t4, MatvecArgs) { Matvec<kType, 4, 2, 2>(args); } \
  INFER_KERNEL(matvec_##type##_t8, MatvecArgs) { Matvec<kType, 8, 2, 1>(args); }
