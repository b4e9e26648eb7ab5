// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/rows/kernels.h"
#include "backends/simd/rows/product.h"
#include "backends/simd/rows/simple_formats.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

constexpr LinearKernel kQ8_0 = RowProduct<FormatQ8_0>();
constexpr LinearKernel kQ4_0 = RowProduct<FormatQ4_0>();
constexpr LinearKernel kQ4_1 = RowProduct<FormatQ4_1>();
constexpr LinearKernel kQ5_0 = RowProduct<FormatQ5_0>();
constexpr LinearKernel kQ5_1 = RowProduct<FormatQ5_1>();
constexpr LinearKernel kIQ4_NL = RowProduct<FormatIQ4_NL>();
constexpr LinearKernel kMXFP4 = RowProduct<FormatMXFP4>();

}  // namespace

const LinearKernel* SimpleRowLinear(DType weight) {
  switch (weight) {
    case DType::kQ8_0:
      return &kQ8_0;
    case DType::kQ4_0:
      return &kQ4_0;
    case DType::kQ4_1:
      return &kQ4_1;
    case DType::kQ5_0:
      return &kQ5_0;
    case DType::kQ5_1:
      return &kQ5_1;
    case DType::kIQ4_NL:
      return &kIQ4_NL;
    case DType::kMXFP4:
      return &kMXFP4;
    default:
      return nullptr;
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
