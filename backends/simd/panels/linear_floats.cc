// SPDX-License-Identifier: Apache-2.0
//
// Float weights with f32 activations. Every column adds its products in ascending order, whatever
// rows are computed together.
#include "backends/simd/panels/pack_panels.h"
#include "backends/simd/panels/panel_linear.h"
#include "backends/simd/panels/panel_tiles.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

struct F32Weights {
  static constexpr DType kType = DType::kF32;
  static constexpr int64_t kBytes = 64;  // of 16 columns, for kTogether elements
  static constexpr int kTogether = 1;
  static Floats16 At(const std::byte* p, int) {
    return LoadF32x16(reinterpret_cast<const float*>(p));
  }
};
struct F16Weights {
  static constexpr DType kType = DType::kF16;
  static constexpr int64_t kBytes = 32;
  static constexpr int kTogether = 1;
  static Floats16 At(const std::byte* p, int) { return LoadF16x16(p); }
};
struct Bf16Weights {
  static constexpr DType kType = DType::kBF16;
  static constexpr int64_t kBytes = 64;
  static constexpr int kTogether = 2;
  static Floats16 At(const std::byte* p, int i) {
    return i == 0 ? LoadBf16Even(p) : LoadBf16Odd(p);
  }
};

template <class W>
struct FloatProduct {
  static constexpr bool kExpands = false;

  template <int kRows, int kHalves>
  [[gnu::always_inline]] static inline void Add(const std::byte* weights, const float* x,
                                                int64_t inner, int i,
                                                Floats16 (&sums)[kRows][kHalves]) {
    Floats16 w[kHalves];
    for (int h = 0; h < kHalves; ++h) w[h] = W::At(weights + h * W::kBytes, i);
    for (int r = 0; r < kRows; ++r) {
      const Floats16 each = Set16(x[r * inner]);
      for (int h = 0; h < kHalves; ++h) sums[r][h] = Fma16(w[h], each, sums[r][h]);
    }
  }

  template <int kRows, int kHalves>
  static void Run(const LinearCall& call, const std::byte* panel, int64_t token, int first,
                  bool fetch, const PanelOut& out) {
    const int64_t inner = call.inner;
    const float* x = reinterpret_cast<const float*>(call.activations) + token * inner;
    const std::byte* at = panel + first * W::kBytes;
    Floats16 sums[kRows][kHalves];
    for (auto& row : sums) {
      for (Floats16& sum : row) sum = Set16(0);
    }
    int64_t k = 0;
    for (; k + W::kTogether <= inner; k += W::kTogether, at += 2 * W::kBytes) {
      if (fetch) {
        for (int64_t line = 0; line < 2 * W::kBytes; line += 64) {
          FetchAhead(at + kFetchBytes + line);
        }
      }
      for (int i = 0; i < W::kTogether; ++i) Add(at, x + k + i, inner, i, sums);
    }
    if (k < inner) Add(at, x + k, inner, 0, sums);
    StoreTile(sums, token, first, out);
  }
};

ActivationForm FloatForm(int64_t) { return ActivationForm::kF32; }
std::string_view F32Numerics(int64_t, int64_t) { return "f32"; }

constexpr int64_t RowBytes(int64_t inner) { return inner * 4; }

template <class W>
constexpr LinearKernel FloatKernel() {
  LinearKernel kernel;
  kernel.layout = kFloatPanelLayout;
  kernel.panel_outputs = kPanelColumns;
  kernel.packed_bytes = PackedPanelBytes<W::kType>;
  kernel.pack = PackPanels<W::kType>;
  kernel.form = FloatForm;
  kernel.run = MultiplyPanels<FloatProduct<W>, W::kType, RowBytes>;
  kernel.numerics = F32Numerics;
  return kernel;
}

constexpr LinearKernel kF32 = FloatKernel<F32Weights>();
constexpr LinearKernel kF16 = FloatKernel<F16Weights>();
constexpr LinearKernel kBF16 = FloatKernel<Bf16Weights>();

}  // namespace

const LinearKernel* FloatPanelLinear(DType weight) {
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

const LinearKernel* PanelLinear(DType weight) {
  const LinearKernel* kernel = FloatPanelLinear(weight);
  return kernel == nullptr ? QuantPanelLinear(weight) : kernel;
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
