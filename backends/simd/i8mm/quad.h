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

  // Of a copied chunk of two quads: numbers by steps; for each group scales, scales times -kMagic,
  // minima.
  [[gnu::always_inline]] constexpr int64_t GroupBytes() const { return 64 * (1 + sets); }
  [[gnu::always_inline]] constexpr int64_t ChunkBytes() const {
    return 256 + groups * GroupBytes();
  }
};

template <PanelFormat kFormat>
constexpr QuadShape kShapeOf = {static_cast<int>(kChunkElements / kFormat.group),
                                kFormat.has_min ? 2 : 1};

// Numbers from 0 to 15 that 8 is subtracted from: panels in the order of eights have them in two's
// complement, so that a shift or a mask makes a signed number of them, 16 times too large. The
// scale is divided by 16, which is exact.
template <PanelFormat kFormat>
constexpr bool kIsSignedNibbles = IsSignedNibbles(kFormat);

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
    if constexpr (kIsSignedNibbles<kFormat>) {
      const uint8x16_t both = vld1q_u8(reinterpret_cast<const uint8_t*>(at) + 64 * kStep);
      return {{vreinterpretq_s8_u8(vshlq_n_u8(both, 4)),
               vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(0xf0)))}};
    }
    // Four columns are the first register of 16.
    uint8x16_t first = NumbersAt<kFormat, 2 * kStep>(at).part[0];
    uint8x16_t second = NumbersAt<kFormat, 2 * kStep + 1>(at).part[0];
    if constexpr (!kFormat.is_signed && kFormat.offset != 0) {
      first = vsubq_u8(first, vdupq_n_u8(kFormat.offset));
      second = vsubq_u8(second, vdupq_n_u8(kFormat.offset));
    }
    return {{vreinterpretq_s8_u8(first), vreinterpretq_s8_u8(second)}};
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
        if constexpr (kIsSignedNibbles<kFormat>) {
          chunk.scales[group][set] = vmulq_n_f32(chunk.scales[group][set], 0x1p-4f);
        }
      }
    }
    return chunk;
  }
};

// 32 elements of a quad of a copy, in memory: everything of the second quad is 32 bytes later.
template <QuadShape kQuadShape>
struct CopiedChunk {
  static constexpr QuadShape kShape = kQuadShape;
  const std::byte* at;

  template <int kStep>
  [[gnu::always_inline]] inline QuadStep Step() const {
    return {{LoadBytes<64 * kStep>(at), LoadBytes<64 * kStep + 16>(at)}};
  }
  template <int kGroup, int kI>
  [[gnu::always_inline]] inline float32x4_t Scale() const {
    return LoadFloats<256 + kGroup * kShape.GroupBytes() + 16 * kI>(at);
  }
  template <int kGroup, int kI>
  [[gnu::always_inline]] inline float32x4_t Back() const {
    return LoadFloats<256 + kGroup * kShape.GroupBytes() + 64 + 16 * kI>(at);
  }
  template <int kGroup, int kI>
  [[gnu::always_inline]] inline float32x4_t Min() const {
    return LoadFloats<256 + kGroup * kShape.GroupBytes() + 128 + 16 * kI>(at);
  }

  template <PanelFormat kFormat>
  static void Store(const StoredChunk<kFormat>& chunk, std::byte* to) {
    StoreStep(chunk.template Step<0>(), to);
    StoreStep(chunk.template Step<1>(), to + 64);
    StoreStep(chunk.template Step<2>(), to + 128);
    StoreStep(chunk.template Step<3>(), to + 192);
    StoreGroup<0>(chunk, to + 256);
    if constexpr (kShape.groups == 2) StoreGroup<1>(chunk, to + 256 + kShape.GroupBytes());
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
    vst1q_f32(floats + 16, (chunk.template Back<kGroup, 0>()));
    vst1q_f32(floats + 20, (chunk.template Back<kGroup, 1>()));
    if constexpr (kShape.sets == 2) {
      vst1q_f32(floats + 32, (chunk.template Min<kGroup, 0>()));
      vst1q_f32(floats + 36, (chunk.template Min<kGroup, 1>()));
    }
  }
};

// The quads of a copy of some chunks of a panel: [two quads][chunk].
template <QuadShape kQuadShape>
struct CopiedQuads {
  static constexpr QuadShape kShape = kQuadShape;
  std::byte* copy;
  int64_t chunks;

  [[gnu::always_inline]] inline CopiedChunk<kShape> At(int64_t quad, int64_t c) const {
    return {copy + (quad / 2 * chunks + c) * kShape.ChunkBytes() + quad % 2 * 32};
  }

  template <PanelFormat kFormat>
  void Copy(const StoredQuads<kFormat>& from) const {
    for (int64_t q = 0; q < kQuads; ++q) {
      std::byte* to = copy + q / 2 * chunks * kShape.ChunkBytes() + q % 2 * 32;
      for (int64_t c = 0; c < chunks; ++c, to += kShape.ChunkBytes()) {
        CopiedChunk<kShape>::Store(from.At(q, c), to);
      }
    }
  }
};

}  // namespace
}  // namespace infer::simd::i8mm
