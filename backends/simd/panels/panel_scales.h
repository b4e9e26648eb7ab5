// SPDX-License-Identifier: Apache-2.0
//
// Reads numbers and scales of a panel: 16 columns at a time.
#pragma once

#include "backends/simd/isa/wide.h"
#include "backends/simd/panels/panel_formats.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

// The numbers of step kStep of half a chunk.
template <PanelFormat kFormat, int kStep>
[[gnu::always_inline]] inline Bytes64 NumbersAt(const std::byte* half) {
  constexpr int kLow = kFormat.low_bits, kHigh = kFormat.high_bits;
  constexpr int kInLow = 8 / kLow;
  const Bytes64 plane = LoadBytes64(half + kStep / kInLow * 64);
  Bytes64 numbers = plane;
  if constexpr (kLow < 8) numbers = Field64<kStep % kInLow * kLow, (1 << kLow) - 1>(plane);
  if constexpr (kHigh > 0) {
    constexpr int kInHigh = 8 / kHigh;
    const Bytes64 high = LoadBytes64(half + 64 * kLow + kStep / kInHigh * 64);
    numbers = OrField64<kStep % kInHigh * kHigh, kHigh, kLow>(numbers, high);
  }
  if constexpr (kFormat.table != nullptr) numbers = Lookup64(kFormat.table, numbers);
  return numbers;
}

// The scales of one panel, columns [16 * half, 16 * half + 16).
template <PanelFormat kFormat>
struct PanelHeader {
  static constexpr int64_t kSets = kFormat.has_min ? 2 : 1;
  const std::byte* header;
  const std::byte* factors;  // only of super blocks

  PanelHeader(const std::byte* panel, int64_t inner)
      : header(panel), factors(panel + kFormat.SuperBytes(inner)) {}

  // Set 0 is the scale, set 1 the minimum.
  [[gnu::always_inline]] inline Floats16 At(int64_t group, int half, int set) const {
    return From(group, half * kHalfColumns, set);
  }
  [[gnu::always_inline]] inline Floats16 From(int64_t group, int64_t column, int set) const {
    if constexpr (kFormat.scales == PanelScales::kFloat) {
      return LoadF32x16(reinterpret_cast<const float*>(header) +
                        (group * kSets + set) * kPanelColumns + column);
    } else if constexpr (kFormat.scales == PanelScales::kHalf) {
      return LoadF16x16(header + ((group * kSets + set) * kPanelColumns + column) * 2);
    } else {
      const int64_t super = group / (kSuperElements / kFormat.group);
      const Floats16 scale =
          LoadF16x16(header + ((super * kSets + set) * kPanelColumns + column) * 2);
      return Mul16(scale, LoadInt8x16(factors + (group * kSets + set) * kPanelColumns + column));
    }
  }
};

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
