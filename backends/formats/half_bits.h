// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace infer::formats {

// A half as stored in a file: two bytes, the low one first, at any address.
struct HalfBits {
  uint8_t low;
  uint8_t high;

  constexpr uint16_t bits() const { return static_cast<uint16_t>(low | high << 8); }
};
static_assert(sizeof(HalfBits) == 2 && alignof(HalfBits) == 1);

// A branch-free F16ToF32 that compilers vectorise: weights mix normal and subnormal halves, and the
// mispredicted branches made a linear of one token four times slower.
constexpr float WidenHalf(uint16_t half) {
  const uint32_t magnitude = half & 0x7fffu;
  // Read as a float, a half's exponent is too small by 127 - 15; the multiplication is exact, and
  // correct for subnormals too.
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  bits |= magnitude >= 0x7c00u ? 0x7f800000u : 0u;  // infinity and NaN
  bits |= magnitude > 0x7c00u ? 0x00400000u : 0u;   // NaNs become quiet
  return std::bit_cast<float>(bits | static_cast<uint32_t>(half & 0x8000u) << 16);
}

constexpr float WidenHalf(HalfBits half) { return WidenHalf(half.bits()); }

}  // namespace infer::formats
