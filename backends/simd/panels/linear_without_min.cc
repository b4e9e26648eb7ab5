// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/panels/int8_product.h"
#include "backends/simd/panels/panel_linear.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

template <DType kType>
constexpr LinearKernel kKernel = Int8PanelKernel<kType>();

}  // namespace

const LinearKernel* QuantPanelLinear(DType weight) {
  switch (weight) {
    case DType::kQ8_0:
      return &kKernel<DType::kQ8_0>;
    case DType::kQ4_0:
      return &kKernel<DType::kQ4_0>;
    case DType::kQ5_0:
      return &kKernel<DType::kQ5_0>;
    case DType::kQ3_K:
      return &kKernel<DType::kQ3_K>;
    case DType::kQ6_K:
      return &kKernel<DType::kQ6_K>;
    case DType::kIQ4_NL:
      return &kKernel<DType::kIQ4_NL>;
    case DType::kIQ4_XS:
      return &kKernel<DType::kIQ4_XS>;
    case DType::kMXFP4:
      return &kKernel<DType::kMXFP4>;
    default:
      return PanelLinearWithMin(weight);
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
