// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/rows/k_formats.h"
#include "backends/simd/rows/kernels.h"
#include "backends/simd/rows/product.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

constexpr LinearKernel kQ2_K = RowProduct<FormatQ2_K>();
constexpr LinearKernel kQ3_K = RowProduct<FormatQ3_K>();
constexpr LinearKernel kQ4_K = RowProduct<FormatQ4_K>();
constexpr LinearKernel kQ5_K = RowProduct<FormatQ5_K>();
constexpr LinearKernel kQ6_K = RowProduct<FormatQ6_K>();
constexpr LinearKernel kIQ4_XS = RowProduct<FormatIQ4_XS>();

}  // namespace

const LinearKernel* KRowLinear(DType weight) {
  switch (weight) {
    case DType::kQ2_K:
      return &kQ2_K;
    case DType::kQ3_K:
      return &kQ3_K;
    case DType::kQ4_K:
      return &kQ4_K;
    case DType::kQ5_K:
      return &kQ5_K;
    case DType::kQ6_K:
      return &kQ6_K;
    case DType::kIQ4_XS:
      return &kIQ4_XS;
    default:
      return nullptr;
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
