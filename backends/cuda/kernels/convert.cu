// SPDX-License-Identifier: Apache-2.0
//
// Rows of x for the matrix products, a block per row.
#include "backends/cuda/kernels/unit_product.h"

namespace infer::cuda {

// f16 after division by a power of two that brings the largest element of the row to 2^8 .. 2^9: no
// overflow, and what is 2^22 times smaller than the largest is still a normal f16.
INFER_KERNEL(convert_f16, ConvertArgs) {
  LetNextStart();
  WaitForPrevious();
  uint32_t* scratch = reinterpret_cast<uint32_t*>(SharedMemory());
  const uint64_t first = static_cast<uint64_t>(BlockX()) * args.columns;
  uint32_t most = 0;
  for (uint32_t i = ThreadIndex(); i < args.columns; i += kRowThreads) {
    const uint32_t bits = AsBits(args.x[first + i]) & 0x7fffffff;
    most = bits > most ? bits : most;
  }
  most = AsBits(WarpMaxAbs(AsFloat(most)));
  if (ThreadIndex() % 32 == 0) scratch[ThreadIndex() / 32] = most;
  Barrier();
  for (uint32_t i = 0; i < kRowThreads / 32; ++i) most = scratch[i] > most ? scratch[i] : most;
  int exponent = static_cast<int>(most >> 23) - 127 - 8;
  if (most >= 0x7f800000 || most < 0x00800000) exponent = 0;  // not finite, or nothing to keep
  if (exponent < -125) exponent = -125;                       // the inverse must be a float
  const float inverse = AsFloat(static_cast<uint32_t>(127 - exponent) << 23);
  for (uint32_t i = ThreadIndex(); i < args.columns; i += kRowThreads) {
    args.out[first + i] = FloatToHalf(args.x[first + i] * inverse);
  }
  if (ThreadIndex() == 0) {
    args.scales[BlockX()] = AsFloat(static_cast<uint32_t>(127 + exponent) << 23);
  }
}

// Rows for products of few tokens, as stream.h prepares one.
INFER_KERNEL(prepare_rows, PrepareArgs) {
  LetNextStart();
  WaitForPrevious();
  constexpr uint32_t kHeld = 4;  // loads that overlap
  const uint64_t row = BlockX();
  const uint32_t fours = args.columns / 4;
  const Float4* x = reinterpret_cast<const Float4*>(args.x + row * args.columns);
  const Float4* norm = reinterpret_cast<const Float4*>(args.norm);
  float squares = 0;
  // Whole warps: lanes exchange the largest element.
  for (uint32_t first = ThreadIndex(); first - ThreadIndex() % 32 < fours;
       first += kHeld * kStreamThreads) {
    Float4 held[kHeld];
#pragma unroll
    for (uint32_t j = 0; j < kHeld; ++j) {
      const uint32_t i = first + j * kStreamThreads;
      held[j] = i < fours ? x[i] : Float4{0, 0, 0, 0};
    }
#pragma unroll
    for (uint32_t j = 0; j < kHeld; ++j) {
      const uint32_t i = first + j * kStreamThreads;
      if (args.norm == nullptr) break;
      squares = AddSquares(held[j], squares);
      if (i >= fours) break;
      held[j] *= norm[i];
      if (args.normed != nullptr) {
        reinterpret_cast<Float4*>(args.normed + row * args.columns)[i] = held[j];
      }
    }
    if (args.rounded != nullptr) {
      Round<true, false>(held, first, fours, Int8Row(args.rounded, args.tokens, args.columns, row));
    }
  }
  if (args.norm == nullptr) return;
  float* scratch = reinterpret_cast<float*>(SharedMemory());
  StoreSquares(squares, scratch);
  Barrier();
  if (ThreadIndex() == 0) {
    args.factors[row] = NormFactor(scratch, args.inverse_columns, args.eps);
  }
}

// An element of the result for each thread.
INFER_KERNEL(merge_splits, MergeArgs) {
  WaitForPrevious();
  // Not before: the tiles of the next product would be placed around those that are still computed,
  // several on some multiprocessors and none on others.
  LetNextStart();
  const uint32_t i = static_cast<uint32_t>(BlockX()) * kElementThreads + ThreadIndex();
  if (i >= args.tokens * args.rows) return;
  const uint32_t token = i / args.rows, row = i % args.rows;
  uint32_t part_at = 0;
  while (part_at + 1 < args.num_parts &&
         row >= args.parts[part_at + 1].first_block * kMatmatOutputs) {
    ++part_at;
  }
  const PartArgs& part = args.parts[part_at];
  const uint32_t output = row - part.first_block * kMatmatOutputs;
  if (output >= part.rows) return;
  float sum = 0;
  for (uint32_t split = 0; split < args.splits; ++split) {
    sum += args.partials[static_cast<uint64_t>(split) * args.tokens * args.rows + i];
  }
  const uint64_t at = static_cast<uint64_t>(token) * part.rows + output;
  part.out[at] = args.residual == nullptr ? sum : args.residual[at] + sum;
}

INFER_KERNEL(convert_bf16, ConvertArgs) {
  LetNextStart();
  WaitForPrevious();
  const uint64_t first = static_cast<uint64_t>(BlockX()) * args.columns;
  for (uint32_t i = ThreadIndex(); i < args.columns; i += kRowThreads) {
    args.out[first + i] = FloatToBf16(args.x[first + i]);
  }
  if (ThreadIndex() == 0) args.scales[BlockX()] = 1.0f;
}

}  // namespace infer::cuda
