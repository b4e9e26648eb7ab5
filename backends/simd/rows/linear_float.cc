// SPDX-License-Identifier: Apache-2.0
//
// Products with f32 activations for every weight type: rows are dequantised a few at a time. For
// accuracy studies.
#include "backends/formats/dequantize_row.h"
#include "backends/simd/rows/float_product.h"
#include "backends/simd/rows/kernels.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

ActivationForm FloatForm(int64_t) { return ActivationForm::kF32; }
std::string_view F32Numerics(int64_t, int64_t) { return "f32"; }

uint64_t ScratchBytes(int64_t, int64_t inner) {
  return static_cast<uint64_t>(kFloatRows * inner) * sizeof(float);
}

template <DType kType>
void MultiplyDequantized(const LinearCall& call, int64_t begin, int64_t end) {
  const uint64_t row_bytes = formats::RowBytes(kType, call.inner);
  float* rows = reinterpret_cast<float*>(call.scratch);
  for (int64_t column = begin; column < end; column += kFloatRows) {
    const int64_t count = end - column < kFloatRows ? end - column : kFloatRows;
    for (int64_t r = 0; r < count; ++r) {
      formats::DequantizeRow(kType, call.weight + (column + r) * row_bytes, call.inner,
                             rows + r * call.inner);
    }
    FloatRows<LoadF32Row>(call, rows, column, column + count);
  }
}

template <DType kType>
const LinearKernel* Dequantized() {
  static constexpr LinearKernel kKernel = [] {
    LinearKernel kernel;
    kernel.form = FloatForm;
    kernel.scratch_bytes = ScratchBytes;
    kernel.run = MultiplyDequantized<kType>;
    kernel.numerics = F32Numerics;
    return kernel;
  }();
  return &kKernel;
}

}  // namespace

const LinearKernel* RowLinearFloat(DType weight) {
  switch (weight) {
    case DType::kQ8_0:
      return Dequantized<DType::kQ8_0>();
    case DType::kQ4_0:
      return Dequantized<DType::kQ4_0>();
    case DType::kQ4_1:
      return Dequantized<DType::kQ4_1>();
    case DType::kQ5_0:
      return Dequantized<DType::kQ5_0>();
    case DType::kQ5_1:
      return Dequantized<DType::kQ5_1>();
    case DType::kQ2_K:
      return Dequantized<DType::kQ2_K>();
    case DType::kQ3_K:
      return Dequantized<DType::kQ3_K>();
    case DType::kQ4_K:
      return Dequantized<DType::kQ4_K>();
    case DType::kQ5_K:
      return Dequantized<DType::kQ5_K>();
    case DType::kQ6_K:
      return Dequantized<DType::kQ6_K>();
    case DType::kIQ4_NL:
      return Dequantized<DType::kIQ4_NL>();
    case DType::kIQ4_XS:
      return Dequantized<DType::kIQ4_XS>();
    case DType::kMXFP4:
      return Dequantized<DType::kMXFP4>();
    default:
      return PlainRowLinear(weight);
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
