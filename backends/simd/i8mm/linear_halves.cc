// SPDX-License-Identifier: Apache-2.0
//
// Products with 16-bit weights: both sides in bf16, bfmmla for any number of rows. An element of
// the result is one chain of bfmmla over the whole inner dimension, so that a row has the same bits
// alone and among others. Relative RMS error 2.4e-3 with f16 weights, 1.7e-3 with bf16 ones.
//
// Weights are packed in panels of 16 columns, in the order of bf16_tile.h: [step][8 pairs][2][4].
#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/i8mm/bf16_tile.h"
#include "backends/simd/i8mm/float_activations.h"
#include "backends/simd/i8mm/float_kernels.h"

namespace infer::simd::i8mm {
namespace {

// Inner elements that tokens pass over at a time: a panel of them takes 32 KiB, half of L1.
constexpr int64_t kPassInner = 1024;
constexpr int64_t kPassSteps = kPassInner / kStep;
// Up to here, weights are read once and activations are small; beyond, activations should stay in
// L2 while the panels change.
constexpr int64_t kFewTokens = 16;
// Weights are prefetched 16 KiB ahead, to L3 only, as one stream over all panels.
constexpr int64_t kAheadElements = 8 * 1024;

int64_t PanelElements(int64_t inner) { return PaddedInner(inner) * kTileColumns; }

uint64_t PackedBytes(int64_t outputs, int64_t inner) {
  return static_cast<uint64_t>((outputs + kTileColumns - 1) / kTileColumns * PanelElements(inner)) *
         2;
}

// Numbers of f16 are normal in bf16, which bfmmla needs, even where they are subnormal in f16.
inline uint16x4_t HalvesToBf16(uint16x4_t v) {
  return vreinterpret_u16_bf16(vcvt_bf16_f32(vcvt_f32_f16(vreinterpret_f16_u16(v))));
}

// Returns 4 elements of a weight's row in bf16, zeros from `count` on.
template <DType kType>
inline uint16x4_t LoadWeights(const uint16_t* row, int64_t count) {
  uint16_t part[kStep] = {};
  if (count < kStep) memcpy(part, row, static_cast<size_t>(count) * 2);
  const uint16x4_t v = vld1_u16(count < kStep ? part : row);
  return kType == DType::kF16 ? HalvesToBf16(v) : v;
}

template <DType kType>
void PackPanels(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin_panel,
                int64_t end_panel, std::byte* packed) {
  const auto* weight = reinterpret_cast<const uint16_t*>(rows);
  auto* out = reinterpret_cast<uint16_t*>(packed) + begin_panel * PanelElements(inner);
  for (int64_t panel = begin_panel; panel < end_panel; ++panel, out += PanelElements(inner)) {
    for (int64_t c = 0; c < kTileColumns; ++c) {
      const int64_t column = panel * kTileColumns + c;
      for (int64_t i = 0; i < PaddedInner(inner); i += kStep) {
        const int64_t left = column < outputs && i < inner ? inner - i : 0;
        const uint16_t* row = left == 0 ? weight : weight + column * inner + i;
        vst1_u16(out + i * kTileColumns + c * kStep, LoadWeights<kType>(row, left));
      }
    }
  }
}

// A part of a panel.
struct Pass {
  const uint16_t* weights;
  int64_t first_step;
  int64_t steps;
  int64_t column;
  int64_t columns;  // of the panel that exist
};

// Up to 4 sums of a row's results, in memory between passes.
inline float32x4_t LoadColumns(const float* from, int64_t count) {
  if (count >= 4) return vld1q_f32(from);
  float part[4] = {};
  for (int64_t i = 0; i < count; ++i) part[i] = from[i];
  return vld1q_f32(part);
}
inline void StoreColumns(float32x4_t v, int64_t count, float* out) {
  if (count >= 4) return vst1q_f32(out, v);
  float part[4];
  vst1q_f32(part, v);
  for (int64_t i = 0; i < count; ++i) out[i] = part[i];
}

template <int kPairs>
using Sums = float32x4_t[kPairs][kColumnPairs];

// Visits the results of a group, 4 columns of two rows at a time. A second row that does not exist
// is the first one.
template <int kPairs, class Visit>
inline void ForResults(const LinearCall& call, const Pass& pass, int64_t group,
                       const Visit& visit) {
#pragma GCC unroll 3
  for (int r = 0; r < kPairs; ++r) {
    const int64_t token = group * kGroupTokens + 2 * r;
    float* first = call.out + token * call.out_stride + pass.column;
    float* second = token + 1 < call.tokens ? first + call.out_stride : first;
#pragma GCC unroll 4
    for (int j = 0; j < kColumnPairs; j += 2) {
      if (pass.columns > 2 * j) visit(r, j, first + 2 * j, second + 2 * j, pass.columns - 2 * j);
    }
  }
}

template <int kPairs>
inline void LoadSums(const LinearCall& call, const Pass& pass, int64_t group, Sums<kPairs>& sums) {
#pragma GCC unroll 24
  for (int i = 0; i < kPairs * kColumnPairs; ++i) {
    sums[i / kColumnPairs][i % kColumnPairs] = vdupq_n_f32(0);
  }
  if (pass.first_step == 0) return;
  ForResults<kPairs>(
      call, pass, group, [&](int r, int j, const float* a, const float* b, int64_t count) {
        SplitRows(LoadColumns(a, count), LoadColumns(b, count), &sums[r][j], &sums[r][j + 1]);
      });
}

template <int kPairs>
[[gnu::noinline]] void MultiplyGroup(const LinearCall& call, const Pass& pass, int64_t group) {
  Sums<kPairs> sums;
  LoadSums<kPairs>(call, pass, group, sums);
  const uint16_t* rows = TileGroup(call, group) + pass.first_step * kPairs * 8;
  MultiplyTile(sums, rows, pass.weights, pass.steps, group == 0 ? kAheadElements : 0);
  ForResults<kPairs>(call, pass, group, [&](int r, int j, float* a, float* b, int64_t count) {
    float32x4_t v0, v1;
    SplitRows(sums[r][j], sums[r][j + 1], &v0, &v1);
    StoreColumns(v1, count, b);
    StoreColumns(v0, count, a);
  });
}

// Multiplies all tokens with `pass` of a panel.
void MultiplyPass(const LinearCall& call, const Pass& pass) {
  for (int64_t g = 0; g < Groups(call.tokens); ++g) {
    const int64_t pairs = PairsInGroup(call.tokens, g);
    const auto multiply = pairs == 3   ? MultiplyGroup<3>
                          : pairs == 2 ? MultiplyGroup<2>
                                       : MultiplyGroup<1>;
    multiply(call, pass, g);
  }
}

void Multiply(const LinearCall& call, int64_t begin, int64_t end) {
  const auto* weight = reinterpret_cast<const uint16_t*>(call.weight);
  const int64_t steps = PaddedInner(call.inner) / kStep;
  const int64_t panels = (end - begin + kTileColumns - 1) / kTileColumns;
  const int64_t passes = (steps + kPassSteps - 1) / kPassSteps;
  const bool few = call.tokens <= kFewTokens;
  for (int64_t i = 0; i < panels * passes; ++i) {
    const int64_t column = begin + (few ? i / passes : i % panels) * kTileColumns;
    const int64_t first = (few ? i % passes : i / panels) * kPassSteps;
    const uint16_t* panel = weight + column / kTileColumns * PanelElements(call.inner);
    MultiplyPass(call, {.weights = panel + first * kStep * kTileColumns,
                        .first_step = first,
                        .steps = steps - first < kPassSteps ? steps - first : kPassSteps,
                        .column = column,
                        .columns = end - column < kTileColumns ? end - column : kTileColumns});
  }
}

ActivationForm Form(int64_t) { return ActivationForm::kBf16Tiles; }
std::string_view Numerics(int64_t, int64_t) { return "bf16"; }

template <DType kType>
constexpr LinearKernel Kernel(std::string_view layout) {
  return {.layout = layout,
          .panel_outputs = kTileColumns,
          .packed_bytes = PackedBytes,
          .pack = PackPanels<kType>,
          .form = Form,
          .run = Multiply,
          .numerics = Numerics};
}

}  // namespace

const LinearKernel kLinearF16 = Kernel<DType::kF16>("f16_bf16_tiles");
const LinearKernel kLinearBf16 = Kernel<DType::kBF16>("bf16_tiles");

}  // namespace infer::simd::i8mm
