// SPDX-License-Identifier: Apache-2.0
//
// The products of the level amx with each of its instructions in plain C++, so that their logic is
// tested on any machine. Everything else is that of the lowest level.
#include "backends/simd/levels/level_parts.h"
#include "backends/simd/levels/levels.h"
#include "backends/simd/levels/tile_attention.h"

#if defined(__aarch64__)
#define INFER_SIMD_LOWEST neon
#else
#define INFER_SIMD_LOWEST avx2
#endif

INFER_SIMD_DECLARE_LEVEL(INFER_SIMD_LOWEST)
INFER_SIMD_DECLARE_PANELS(emulated)
INFER_SIMD_DECLARE_TILES(emulated)

namespace infer::simd {
namespace {

namespace lowest = INFER_SIMD_LOWEST;

bool RunsHere() {
#if defined(__aarch64__)
  return true;
#else
  return kAvx2Level.runs_here();
#endif
}

const LinearKernel* LinearInvariant(DType weight) {
  const LinearKernel* tiles = emulated::TileLinear(weight);
  return tiles == nullptr ? emulated::PanelLinear(weight) : tiles;
}

struct TileFunctions {
  static constexpr auto Plain = lowest::PlainAttention;
  static constexpr auto ScratchBytes = emulated::TileAttentionScratchBytes;
  static constexpr auto Whole = emulated::TileAttention;
  static constexpr auto Range = emulated::TileAttentionRange;
};

// In the order of ActivationForm.
const ActivationMaker kMakers[kNumActivationForms] = {{}, lowest::kInt8RowsMaker,   {}, {},
                                                      {}, emulated::kBf16TilesMaker};

}  // namespace

constinit const Level kEmulatedLevel = {
    .name = "emulated",
    .needs = "nothing; for tests",
    .runs_here = RunsHere,
    .is_for_tests = true,
    .vector = &lowest::kVectorKernels,
    .attention = PlainOrTilesAttention<TileFunctions>,
    .attention_invariant = TilesOnlyAttention<TileFunctions>,
    .makers = kMakers,
    .linear = emulated::PanelLinear,
    .linear_tiles = emulated::TileLinear,
    .linear_invariant = LinearInvariant,
    .linear_float = lowest::RowLinearFloat,
};

}  // namespace infer::simd
