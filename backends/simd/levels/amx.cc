// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/cpu_features.h"
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"
#include "backends/simd/levels/tile_attention.h"

INFER_SIMD_DECLARE_LEVEL(avx512)
INFER_SIMD_DECLARE_PANELS(avx512)
INFER_SIMD_DECLARE_TILES(amx)

namespace infer::simd {
namespace {

bool RunsHere() { return kAvx512Level.runs_here() && HostCpuFeatures().amx_bf16; }

std::string_view WhyNot() { return HostCpuFeatures().amx_refused; }

const LinearKernel* LinearInvariant(DType weight) {
  const LinearKernel* tiles = amx::TileLinear(weight);
  return tiles == nullptr ? avx512::PanelLinear(weight) : tiles;
}

struct TileFunctions {
  static constexpr auto Plain = avx512::PlainAttention;
  static constexpr auto ScratchBytes = amx::TileAttentionScratchBytes;
  static constexpr auto Whole = amx::TileAttention;
  static constexpr auto Range = amx::TileAttentionRange;
};

// In the order of ActivationForm.
const ActivationMaker kMakers[kNumActivationForms] = {{}, avx512::kInt8RowsMaker, {}, {},
                                                      {}, amx::kBf16TilesMaker};

}  // namespace

constinit const Level kAmxLevel = {
    .name = "amx",
    .needs = "avx512f avx512bw avx512vl avx512dq avx512_vnni avx512_bf16 amx_tile amx_bf16",
    .runs_here = RunsHere,
    .why_not = WhyNot,
    .vector = &avx512::kVectorKernels,
    .attention = PlainOrTilesAttention<TileFunctions>,
    .attention_invariant = TilesOnlyAttention<TileFunctions>,
    .makers = kMakers,
    .linear = avx512::PanelLinear,
    .linear_tiles = amx::TileLinear,
    .linear_invariant = LinearInvariant,
    .linear_float = avx512::RowLinearFloat,
};

}  // namespace infer::simd
