// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/rows/float_product.h"
#include "backends/simd/rows/kernels.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

ActivationForm FloatForm(int64_t) { return ActivationForm::kF32; }
std::string_view F32Numerics(int64_t, int64_t) { return "f32"; }

template <class W>
void MultiplyPlain(const LinearCall& call, int64_t begin, int64_t end) {
  const auto* rows = reinterpret_cast<const typename W::Element*>(call.weight);
  FloatRows<W>(call, rows + begin * call.inner, begin, end);
}

template <class W>
constexpr LinearKernel PlainProduct() {
  LinearKernel kernel;
  kernel.numerics = F32Numerics;
  kernel.form = FloatForm;
  kernel.run = MultiplyPlain<W>;
  return kernel;
}

constexpr LinearKernel kF32 = PlainProduct<LoadF32Row>();
constexpr LinearKernel kF16 = PlainProduct<LoadHalfRow>();
constexpr LinearKernel kBF16 = PlainProduct<LoadBf16Row>();

}  // namespace

const LinearKernel* PlainRowLinear(DType weight) {
  switch (weight) {
    case DType::kF32:
      return &kF32;
    case DType::kF16:
      return &kF16;
    case DType::kBF16:
      return &kBF16;
    default:
      return nullptr;
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
