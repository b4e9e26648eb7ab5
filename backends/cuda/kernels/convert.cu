// SPDX-License-Identifier: Apache-2.0
//
// Rows of x for the matrix products, a block per row.
#include "backends/cuda/kernels/matvec.h"

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
  if (exponent < -125) exponent = -125;  // the inverse must be a float
  const float inverse = AsFloat(static_cast<uint32_t>(127 - exponent) << 23);
  for (uint32_t i = ThreadIndex(); i < args.columns; i += kRowThreads) {
    args.out[first + i] = FloatToHalf(args.x[first + i] * inverse);
  }
  if (ThreadIndex() == 0) {
    args.scales[BlockX()] = AsFloat(static_cast<uint32_t>(127 + exponent) << 23);
  }
}

// int8 rows for products of a few tokens.
INFER_KERNEL(round_int8, RoundArgs) {
  LetNextStart();
  WaitForPrevious();
  const uint64_t row = BlockX();
  Int8Rows rows = Int8RowsAt(args.out, args.tokens, args.columns);
  rows.quants += row * (args.columns / 4);
  rows.scales += row * (args.columns / 32);
  rows.sums += row * (args.columns / 16);
  RoundRow(args.x + row * args.columns, args.columns, rows);
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
