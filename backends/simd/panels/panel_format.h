// SPDX-License-Identifier: Apache-2.0
//
// How the rows of a quantised weight lie in panels: 32 rows, which are columns of the result, side
// by side. A panel is a header with all scales, then chunks of 32 elements of each column. A chunk
// is two halves of 16 columns; a half is planes of 64 bytes:
//  * the low bits (8, 4 or 2) of the numbers: byte 4 * column + i of the bytes of step s holds
//    element 4 * s + i. With 4 bits a plane holds steps 2 p and 2 p + 1, with 2 bits four steps,
//    the first in the lowest bits;
//  * then the high bits (1 or 2), likewise: 8 steps or 4 in a plane.
// One register of 512 bits, or two of 256, is then a step of 16 columns, which one instruction
// multiplies with the same 4 activations.
//
// Matrix instructions want 8 elements of two columns side by side (PanelOrder::kEights). In every
// quad of columns, steps 2 k and 2 k + 1 have elements 8 k to 8 k + 7: the first those of columns 0
// and 1, 8 bytes each, the second those of columns 2 and 3.
#pragma once

#include <cstdint>
#include <string_view>

namespace infer::simd {

// Names of the layouts: panels as described here, and panels of float weights.
inline constexpr std::string_view kQuantPanelLayout = "panels_32x4";
inline constexpr std::string_view kEightsPanelLayout = "panels_32x8";
inline constexpr std::string_view kFloatPanelLayout = "panels_32";

inline constexpr int64_t kPanelColumns = 32;
inline constexpr int64_t kHalfColumns = 16;
inline constexpr int64_t kChunkElements = 32;
inline constexpr int64_t kChunkSteps = 8;
inline constexpr int64_t kSuperElements = 256;

enum class PanelOrder : uint8_t { kFours, kEights };

enum class PanelScales : uint8_t {
  kHalf,   // f16 per chunk [chunk][scale, min][32 columns]
  kFloat,  // f32 per group [group][scale, min][32 columns]
  // f16 per 256 elements [super block][scale, min][32 columns], then int8 factors per group
  // [group][scale, min][32 columns]
  kSuper,
};

struct PanelFormat {
  int low_bits;
  int high_bits;
  int group;  // elements that share a scale: 32 or 16
  PanelScales scales;
  bool has_min;         // an element is scale * number + min
  bool is_signed;       // numbers are int8; else unsigned
  int offset;           // subtracted from an unsigned number
  const int8_t* table;  // nullptr, or what the 16 numbers stand for: int8
  int largest;          // the largest magnitude that is multiplied

  // Inlined always: a copy that was compiled for one level must not be linked into the others.
  [[gnu::always_inline]] constexpr int64_t HalfBytes() const { return 64 * (low_bits + high_bits); }
  [[gnu::always_inline]] constexpr int64_t ChunkBytes() const { return 2 * HalfBytes(); }
  [[gnu::always_inline]] constexpr int64_t Sets() const { return has_min ? 2 : 1; }

  [[gnu::always_inline]] constexpr int64_t SuperBytes(int64_t inner) const {
    return scales == PanelScales::kSuper ? inner / kSuperElements * Sets() * kPanelColumns * 2 : 0;
  }
  [[gnu::always_inline]] constexpr int64_t HeaderBytes(int64_t inner) const {
    const int64_t groups = inner / group;
    const int64_t each = scales == PanelScales::kHalf ? 2 : scales == PanelScales::kFloat ? 4 : 1;
    return (SuperBytes(inner) + groups * Sets() * kPanelColumns * each + 63) / 64 * 64;
  }
  [[gnu::always_inline]] constexpr int64_t PanelBytes(int64_t inner) const {
    return HeaderBytes(inner) + inner / kChunkElements * ChunkBytes();
  }
};

// Whether the order of eights has the numbers in two's complement.
constexpr bool IsSignedNibbles(const PanelFormat& format) {
  return format.low_bits == 4 && format.high_bits == 0 && format.table == nullptr &&
         !format.is_signed && format.offset == 8;
}

}  // namespace infer::simd
