// SPDX-License-Identifier: Apache-2.0
//
// Products with f32 activations: weights of every type as floats, one block of rows at a time, and
// f32 sums. For f32 weights, and for accuracy studies of all others.
#include <stdint.h>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/i8mm/float_kernels.h"
#include "backends/simd/i8mm/float_product.h"

namespace infer::simd::i8mm {
namespace {

constexpr int64_t kBlockRows = 16;  // 64 KiB at 1024 columns: L2 holds them while tokens pass

inline void Store(const LinearCall& call, int64_t token, int64_t column, float result) {
  call.out[token * call.out_stride + column] = result;
}

template <int kTokens, int kColumns>
inline void StoreTile(const LinearCall& call, int64_t token, int64_t column, const float* x,
                      const float* w) {
  float results[kTokens][kColumns];
  DotTile<kTokens, kColumns>(x, call.inner, w, call.inner, call.inner, results);
  for (int i = 0; i < kTokens; ++i) {
    for (int j = 0; j < kColumns; ++j) Store(call, token + i, column + j, results[i][j]);
  }
}

// Multiplies all tokens with `columns` rows of floats, the weight's rows from `column` on.
void MultiplyRows(const LinearCall& call, const float* rows, int64_t column, int64_t columns) {
  const auto* x = reinterpret_cast<const float*>(call.activations);
  const int64_t inner = call.inner;
  if (call.tokens == 1) {
    for (int64_t j = 0; j < columns; ++j)
      Store(call, 0, column + j, Dot(x, rows + j * inner, inner));
    return;
  }
  for (int64_t t = 0; t < call.tokens; t += 4) {
    const float* tokens = x + t * inner;
    const int64_t left = call.tokens - t;
    for (int64_t j = 0; j < columns; j += 4) {
      if (left >= 4 && columns - j >= 4) {
        StoreTile<4, 4>(call, t, column + j, tokens, rows + j * inner);
        continue;
      }
      for (int64_t i = 0; i < left && i < 4; ++i) {
        for (int64_t c = j; c < columns && c < j + 4; ++c) {
          StoreTile<1, 1>(call, t + i, column + c, tokens + i * inner, rows + c * inner);
        }
      }
    }
  }
}

template <DType kType>
void Run(const LinearCall& call, int64_t begin, int64_t end) {
  const uint64_t row_bytes = formats::RowBytes(kType, call.inner);
  auto* block = reinterpret_cast<float*>(call.scratch);
  // With one token, each row is used while it is in L1.
  const int64_t step = call.tokens == 1 ? 1 : kBlockRows;
  for (int64_t column = begin; column < end; column += step) {
    const int64_t columns = end - column < step ? end - column : step;
    const float* rows = block;
    if constexpr (kType == DType::kF32) {
      rows = reinterpret_cast<const float*>(call.weight) + column * call.inner;
    } else {
      for (int64_t j = 0; j < columns; ++j) {
        formats::DequantizeRow(kType, call.weight + (column + j) * row_bytes, call.inner,
                               block + j * call.inner);
      }
    }
    MultiplyRows(call, rows, column, columns);
  }
}

ActivationForm Form(int64_t) { return ActivationForm::kF32; }

uint64_t ScratchBytes(int64_t tokens, int64_t inner) {
  return static_cast<uint64_t>((tokens == 1 ? 1 : kBlockRows) * inner * 4);
}

template <DType kType>
inline constexpr LinearKernel kFloat = {
    .form = Form, .scratch_bytes = ScratchBytes, .run = Run<kType>};

}  // namespace

const LinearKernel* FloatLinear(DType weight) {
  switch (weight) {
    case DType::kF32:
      return &kFloat<DType::kF32>;
    case DType::kF16:
      return &kFloat<DType::kF16>;
    case DType::kBF16:
      return &kFloat<DType::kBF16>;
    case DType::kQ8_0:
      return &kFloat<DType::kQ8_0>;
    case DType::kQ4_0:
      return &kFloat<DType::kQ4_0>;
    case DType::kQ4_1:
      return &kFloat<DType::kQ4_1>;
    case DType::kQ5_0:
      return &kFloat<DType::kQ5_0>;
    case DType::kQ5_1:
      return &kFloat<DType::kQ5_1>;
    case DType::kQ2_K:
      return &kFloat<DType::kQ2_K>;
    case DType::kQ3_K:
      return &kFloat<DType::kQ3_K>;
    case DType::kQ4_K:
      return &kFloat<DType::kQ4_K>;
    case DType::kQ5_K:
      return &kFloat<DType::kQ5_K>;
    case DType::kQ6_K:
      return &kFloat<DType::kQ6_K>;
    case DType::kIQ4_NL:
      return &kFloat<DType::kIQ4_NL>;
    case DType::kIQ4_XS:
      return &kFloat<DType::kIQ4_XS>;
    case DType::kMXFP4:
      return &kFloat<DType::kMXFP4>;
    default:
      return nullptr;
  }
}

}  // namespace infer::simd::i8mm
