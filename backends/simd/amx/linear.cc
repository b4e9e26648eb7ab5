// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/amx/linear.h"

#include "backends/simd/amx/tile_product.h"
#include "backends/simd/isa/tiles.h"
#include "backends/simd/panels/pack_panels.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

uint64_t ScratchBytes(int64_t, int64_t inner) { return TileScratchBytes(inner); }
ActivationForm TileForm(int64_t) { return ActivationForm::kBf16Tiles; }

// Rows of a part: with fewer of them, a core has less to fetch and more weights to widen. On 16
// threads, 512 rows of 1024 elements are 8 to 10 % faster in two parts, rows of 3072 in four parts
// by 16 to 35 %.
int64_t RowParts(int64_t tokens, int64_t inner) {
  const int64_t rows = inner > 1536 ? 128 : 256;
  return tokens < 2 * rows ? 1 : tokens / rows;
}
std::string_view TileNumerics(int64_t, int64_t) { return "bf16"; }

template <class Widener, DType kType>
void Multiply(const LinearCall& call, int64_t begin, int64_t end) {
  const FlushDenormals flush;
  const bool in_tiles = call.bf16_stride == 0;
  if (in_tiles && call.tokens <= kTileRows) {
    return MultiplyRowTile<Widener, kType>(call, begin, end);
  }
  MultiplyTiles<Widener, kType>(call, begin, end);
}

template <DType kType, class Widener = QuantWidener<kType>>
constexpr LinearKernel TileKernel(std::string_view layout) {
  LinearKernel kernel;
  kernel.layout = layout;
  kernel.panel_outputs = kPanelColumns;
  kernel.packed_bytes = PackedPanelBytes<kType>;
  kernel.pack = PackPanels<kType>;
  kernel.form = TileForm;
  kernel.scratch_bytes = ScratchBytes;
  kernel.run = Multiply<Widener, kType>;
  kernel.bf16_elements = kTileElements;
  kernel.row_parts = RowParts;
  kernel.numerics = TileNumerics;
  return kernel;
}

template <DType kType>
constexpr LinearKernel kQuants = TileKernel<kType>(kQuantPanelLayout);
constexpr LinearKernel kF16 = TileKernel<DType::kF16, F16Widener>(kFloatPanelLayout);
constexpr LinearKernel kBf16 = TileKernel<DType::kBF16, Bf16Widener>(kFloatPanelLayout);

}  // namespace

const LinearKernel* TileLinear(DType weight) {
  switch (weight) {
    case DType::kF16:
      return &kF16;
    case DType::kBF16:
      return &kBf16;
    case DType::kQ8_0:
      return &kQuants<DType::kQ8_0>;
    case DType::kQ4_0:
      return &kQuants<DType::kQ4_0>;
    case DType::kQ4_1:
      return &kQuants<DType::kQ4_1>;
    case DType::kQ5_0:
      return &kQuants<DType::kQ5_0>;
    case DType::kQ5_1:
      return &kQuants<DType::kQ5_1>;
    case DType::kQ2_K:
      return &kQuants<DType::kQ2_K>;
    case DType::kQ3_K:
      return &kQuants<DType::kQ3_K>;
    case DType::kQ4_K:
      return &kQuants<DType::kQ4_K>;
    case DType::kQ5_K:
      return &kQuants<DType::kQ5_K>;
    case DType::kQ6_K:
      return &kQuants<DType::kQ6_K>;
    case DType::kIQ4_NL:
      return &kQuants<DType::kIQ4_NL>;
    case DType::kIQ4_XS:
      return &kQuants<DType::kIQ4_XS>;
    case DType::kMXFP4:
      return &kQuants<DType::kMXFP4>;
    default:
      return nullptr;
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
