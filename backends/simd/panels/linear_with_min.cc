// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/panels/int8_product.h"
#include "backends/simd/panels/panel_linear.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

template <DType kType>
constexpr LinearKernel kKernel = Int8PanelKernel<kType>();

}  // namespace

const LinearKernel* PanelLinearWithMin(DType weight) {
  switch (weight) {
    case DType::kQ4_1:
      return &kKernel<DType::kQ4_1>;
    case DType::kQ5_1:
      return &kKernel<DType::kQ5_1>;
    case DType::kQ2_K:
      return &kKernel<DType::kQ2_K>;
    case DType::kQ4_K:
      return &kKernel<DType::kQ4_K>;
    case DType::kQ5_K:
      return &kKernel<DType::kQ5_K>;
    default:
      return nullptr;
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
