// SPDX-License-Identifier: Apache-2.0
//
// Four columns of a panel as smmla wants them: pairs of columns by 8 elements. Read from the stored
// panel, or from a copy that was made for many rows.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/ordered.h"
#include "backends/simd/panels/panel_scales.h"

namespace infer::simd::i8mm {
namespace {

constexpr int64_t kQuads = 8;      // of a panel
constexpr int64_t kHalfQuads = 4;  // of 16 columns
// Integer sums start at its bits, so that they read as the float kMagic + sum.
constexpr float kMagic = 0x1.8p23f;

// Of four columns: {c0, c1, c0, c1} or {c2, c3, c2, c3}.
template <int kI>
[[gnu::always_inline]] inline float32x4_t Twice(float32x4_t columns) {
  return vreinterpretq_f32_f64(vdupq_laneq_f64(vreinterpretq_f64_f32(columns), kI));
}

// What differs between formats once numbers are signed bytes and scales are floats.
struct QuadShape {
  int groups;  // in 32 elements
  int sets;    // 2 with a minimum

  // Of a copied chunk: numbers; for each group scales, scales times -kMagic, minima.
  [[gnu::always_inline]] constexpr int64_t GroupBytes() const { return 32 * (1 + sets); }
  [[gnu::always_inline]] constexpr int64_t ChunkBytes() const {
    return 128 + groups * GroupBytes();
  }
};

template <PanelFormat kFormat>
constexpr QuadShape kShapeOf = {static_cast<int>(kChunkElements / kFormat.group),
                                kFormat.has_min ? 2 : 1};

// 8 elements of a quad: columns 0 and 1, columns 2 and 3.
struct QuadStep {
  int8x16_t at[2];
};

// 32 elements of a quad of the stored panel.
template <PanelFormat kFormat>
struct StoredChunk {
  static constexpr QuadShape kShape = kShapeOf<kFormat>;
  const std::byte* at;
  float32x4_t scales[kShape.groups][kShape.sets];  // of the 4 columns

  template <int kStep>
  [[gnu::always_inline]] inline QuadStep Step() const {
    // Four columns are the first register of 16.
    uint8x16_t low = NumbersAt<kFormat, 2 * kStep>(at).part[0];
    uint8x16_t high = NumbersAt<kFormat, 2 * kStep + 1>(at).part[0];
    if constexpr (!kFormat.is_signed && kFormat.offset != 0) {
      low = vsubq_u8(low, vdupq_n_u8(kFormat.offset));
      high = vsubq_u8(high, vdupq_n_u8(kFormat.offset));
    }
    const uint32x4_t a = vreinterpretq_u32_u8(low), b = vreinterpretq_u32_u8(high);
    return {{vreinterpretq_s8_u32(vzip1q_u32(a, b)), vreinterpretq_s8_u32(vzip2q_u32(a, b))}};
  }
  template <int kGroup, int kI>
  [[gnu::always_inline]] inline float32x4_t Scale() const {
    return Twice<kI>(scales[kGroup][0]);
  }
  template <int kGroup, int kI>
  [[gnu::always_inline]] inline float32x4_t Back() const {
    return vmulq_n_f32((Scale<kGroup, kI>()), -kMagic);
  }
  template <int kGroup, int kI>
  [[gnu::always_inline]] inline float32x4_t Min() const {
    return Twice<kI>(scales[kGroup][kShape.sets - 1]);
  }
};

// The quads of a stored panel, from chunk `first` on.
template <PanelFormat kFormat>
struct StoredQuads {
  static constexpr QuadShape kShape = kShapeOf<kFormat>;
  PanelHeader<kFormat> header;
  const std::byte* chunks;
  int64_t first;

  StoredQuads(const std::byte* panel, int64_t inner, int64_t first_chunk)
      : header(panel, inner),
        chunks(panel + kFormat.HeaderBytes(inner) + first_chunk * kFormat.ChunkBytes()),
        first(first_chunk) {}

  [[gnu::always_inline]] inline StoredChunk<kFormat> At(int64_t quad, int64_t c) const {
    StoredChunk<kFormat> chunk;
    chunk.at = chunks + c * kFormat.ChunkBytes() + quad / kHalfQuads * kFormat.HalfBytes() +
               quad % kHalfQuads * 16;
    for (int group = 0; group < kShape.groups; ++group) {
      for (int set = 0; set < kShape.sets; ++set) {
        chunk.scales[group][set] =
            header.From((first + c) * kShape.groups + group, 4 * quad, set).part[0];
      }
    }
    return chunk;
  }
};

// 32 elements of a quad of a copy, in memory.
template <QuadShape kQuadShape>
struct CopiedChunk {
  static constexpr QuadShape kShape = kQuadShape;
  const std::byte* at;

  template <int kStep>
  [[gnu::always_inline]] inline QuadStep Step() const {
    return {{LoadBytes<32 * kStep>(at), LoadBytes<32 * kStep + 16>(at)}};
  }
  template <int kGroup, int kI>
  [[gnu::always_inline]] inline float32x4_t Scale() const {
    return LoadFloats<128 + kGroup * kShape.GroupBytes() + 16 * kI>(at);
  }
  template <int kGroup, int kI>
  [[gnu::always_inline]] inline float32x4_t Back() const {
    return LoadFloats<128 + kGroup * kShape.GroupBytes() + 32 + 16 * kI>(at);
  }
  template <int kGroup, int kI>
  [[gnu::always_inline]] inline float32x4_t Min() const {
    return LoadFloats<128 + kGroup * kShape.GroupBytes() + 64 + 16 * kI>(at);
  }

  template <PanelFormat kFormat>
  static void Store(const StoredChunk<kFormat>& chunk, std::byte* to) {
    StoreStep(chunk.template Step<0>(), to);
    StoreStep(chunk.template Step<1>(), to + 32);
    StoreStep(chunk.template Step<2>(), to + 64);
    StoreStep(chunk.template Step<3>(), to + 96);
    StoreGroup<0>(chunk, to + 128);
    if constexpr (kShape.groups == 2) StoreGroup<1>(chunk, to + 128 + kShape.GroupBytes());
  }
  [[gnu::always_inline]] static void StoreStep(QuadStep step, std::byte* to) {
    vst1q_s8(reinterpret_cast<int8_t*>(to), step.at[0]);
    vst1q_s8(reinterpret_cast<int8_t*>(to) + 16, step.at[1]);
  }
  template <int kGroup, PanelFormat kFormat>
  [[gnu::always_inline]] static void StoreGroup(const StoredChunk<kFormat>& chunk, std::byte* to) {
    auto* floats = reinterpret_cast<float*>(to);
    vst1q_f32(floats, (chunk.template Scale<kGroup, 0>()));
    vst1q_f32(floats + 4, (chunk.template Scale<kGroup, 1>()));
    vst1q_f32(floats + 8, (chunk.template Back<kGroup, 0>()));
    vst1q_f32(floats + 12, (chunk.template Back<kGroup, 1>()));
    if constexpr (kShape.sets == 2) {
      vst1q_f32(floats + 16, (chunk.template Min<kGroup, 0>()));
      vst1q_f32(floats + 20, (chunk.template Min<kGroup, 1>()));
    }
  }
};

// The quads of a copy of some chunks of a panel: [quad][chunk].
template <QuadShape kQuadShape>
struct CopiedQuads {
  static constexpr QuadShape kShape = kQuadShape;
  std::byte* copy;
  int64_t chunks;

  [[gnu::always_inline]] inline CopiedChunk<kShape> At(int64_t quad, int64_t c) const {
    return {copy + (quad * chunks + c) * kShape.ChunkBytes()};
  }

  template <PanelFormat kFormat>
  void Copy(const StoredQuads<kFormat>& from) const {
    std::byte* to = copy;
    for (int64_t q = 0; q < kQuads; ++q) {
      for (int64_t c = 0; c < chunks; ++c, to += kShape.ChunkBytes()) {
        CopiedChunk<kShape>::Store(from.At(q, c), to);
      }
    }
  }
};

}  // namespace
}  // namespace infer::simd::i8mm
