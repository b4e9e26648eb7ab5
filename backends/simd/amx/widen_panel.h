// SPDX-License-Identifier: Apache-2.0
//
// Panels of any weight type as bf16 tiles: [chunk][2 halves][16 pairs of elements][16 columns][2].
#pragma once

#include "backends/simd/isa/wide.h"
#include "backends/simd/panels/panel_scales.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

constexpr int64_t kWideChunkBytes = 2048;

// Quants become bf16 by cutting the float, not rounding it; the scale carries the mean of what is
// cut off, 0.72 of 256. The error is 1.03 times that of rounding, with two instructions fewer for
// 32 weights.
constexpr float kCut = 1.0f + 0.72f / 256;

template <DType kType>
struct QuantWidener {
  static constexpr PanelFormat kFormat = FormatOf<kType>();
  static constexpr int kGroups = kChunkElements / kFormat.group;
  static constexpr int kOffset = kFormat.is_signed ? 128 : kFormat.offset;

  // What a byte at each place is multiplied with and what is subtracted then.
  struct Factors {
    Floats16 scale;
    Floats16 less[4];
  };

  static inline Factors FactorsOf(const PanelHeader<kFormat>& header, int64_t group, int half) {
    Factors f;
    f.scale = Mul16(header.At(group, half, 0), Set16(kCut));
    Floats16 min = Set16(0);
    if constexpr (kFormat.has_min) min = Mul16(header.At(group, half, 1), Set16(kCut));
    f.less[0] = f.less[1] = Fms16(f.scale, Set16(kByteBase[0] + kOffset), min);
    f.less[2] = Fms16(f.scale, Set16(kByteBase[2] + kOffset), min);
    f.less[3] = Fms16(f.scale, Set16(kByteBase[3] + kOffset), min);
    return f;
  }

  template <int kStep, int kEnd>
  [[gnu::always_inline]] static inline void Steps(const std::byte* half, const Factors& f,
                                                  uint16_t* out) {
    const Bytes64 v = Weights64<kFormat.is_signed>(NumbersAt<kFormat, kStep>(half)).bytes;
    StorePairsCut(out + kStep * 64, Fms16(PlusBase<0>(v), f.scale, f.less[0]),
                  Fms16(PlusBase<1>(v), f.scale, f.less[1]));
    StorePairsCut(out + kStep * 64 + 32, Fms16(PlusBase<2>(v), f.scale, f.less[2]),
                  Fms16(PlusBase<3>(v), f.scale, f.less[3]));
    if constexpr (kStep + 1 < kEnd) Steps<kStep + 1, kEnd>(half, f, out);
  }

  // Chunks [begin, end).
  static void Widen(const std::byte* panel, int64_t inner, int64_t begin, int64_t end,
                    uint16_t* out) {
    const PanelHeader<kFormat> header(panel, inner);
    for (int64_t c = begin; c < end; ++c) {
      for (int h = 0; h < 2; ++h, out += kWideChunkBytes / 4) {
        const std::byte* half = panel + ChunkOffset(inner, c) + h * kFormat.HalfBytes();
        Steps<0, kChunkSteps / kGroups>(half, FactorsOf(header, c * kGroups, h), out);
        if constexpr (kGroups == 2) Steps<4, 8>(half, FactorsOf(header, c * 2 + 1, h), out);
      }
    }
  }

  // Where the weights of a chunk begin, for prefetching.
  static int64_t ChunkOffset(int64_t inner, int64_t chunk) {
    return kFormat.HeaderBytes(inner) + chunk * kFormat.ChunkBytes();
  }
};

struct F16Widener {
  static void Widen(const std::byte* panel, int64_t inner, int64_t begin, int64_t end,
                    uint16_t* out) {
    for (int64_t c = begin; c < end; ++c) {
      for (int h = 0; h < 2; ++h) {
        const std::byte* at = panel + ChunkOffset(inner, c) + h * 32;
        for (int64_t k = c * kChunkElements; k < (c + 1) * kChunkElements; k += 2, at += 128) {
          StoreBytes64(out, PairsRounded(k < inner ? LoadF16x16(at) : Set16(0),
                                         k + 1 < inner ? LoadF16x16(at + 64) : Set16(0)));
          out += 32;
        }
      }
    }
  }
  static int64_t ChunkOffset(int64_t, int64_t chunk) { return chunk * kChunkElements * 64; }
};

struct Bf16Widener {
  static void Widen(const std::byte* panel, int64_t inner, int64_t begin, int64_t end,
                    uint16_t* out) {
    for (int64_t c = begin; c < end; ++c, out += kWideChunkBytes / 2) {
      for (int64_t pair = 0; pair < 16; ++pair) {
        const int64_t k = c * kChunkElements + 2 * pair;
        const std::byte* at = panel + k * kPanelColumns * 2;
        for (int h = 0; h < 2; ++h) {
          uint16_t* to = out + h * 512 + pair * 32;
          if (k < inner) {
            __builtin_memcpy(to, at + h * 64, 64);
          } else {
            __builtin_memset(to, 0, 64);
          }
        }
      }
    }
  }
  static int64_t ChunkOffset(int64_t, int64_t chunk) { return chunk * kChunkElements * 64; }
};

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
