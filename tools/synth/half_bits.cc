// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/half_bits.h"

#include <bit>

namespace infer {

uint16_t HalfBits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  // 0x38800000 is 2^-14, the smallest normal half: below it a half counts steps of 2^-24. Rounded
  // with integers, because a float addition here could be fused with the caller's product and give
  // other bits on another processor.
  if (magnitude < 0x38800000u) {
    const uint32_t shift = 126 - (magnitude >> 23);
    if (shift > 24) return sign;  // below 2^-25, half of the smallest step
    const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const uint32_t half_step = (1u << (shift - 1)) - 1;
    return static_cast<uint16_t>(sign |
                                 ((mantissa + half_step + (mantissa >> shift & 1u)) >> shift));
  }
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
  // Moves the exponent bias from 127 to 15 and rounds away 13 bits of mantissa.
  const uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

uint16_t Bfloat16Bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace infer
