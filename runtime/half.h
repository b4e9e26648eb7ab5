// SPDX-License-Identifier: Apache-2.0
//
// Conversions between float and half precision (IEEE 754 binary16) or bfloat16, as bit patterns.
// Rounds to nearest, ties to even, subnormals included, so the results equal those of F16C, NEON
// and the compilers' own 16-bit types. These are the reference; kernels may use the instructions.
#pragma once

#include <bit>
#include <cstdint>

namespace infer {

constexpr float F16ToF32(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1f) {
    // A signalling NaN becomes quiet, as with the conversion instructions.
    const uint32_t quiet = mantissa != 0 ? 0x400000u : 0u;
    return std::bit_cast<float>(sign | 0x7f800000u | quiet | (mantissa << 13));
  }
  if (exponent != 0) {
    // The exponent biases differ by 127 - 15.
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }
  if (mantissa == 0) return std::bit_cast<float>(sign);
  // Subnormal: mantissa * 2^-24. Shift until the leading one is at the implicit bit's position.
  const int shift = std::countl_zero(mantissa) - 21;
  mantissa = (mantissa << shift) & 0x3ffu;
  return std::bit_cast<float>(sign | (static_cast<uint32_t>(113 - shift) << 23) | (mantissa << 13));
}

constexpr uint16_t F32ToF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  // 65520, halfway between the largest half (65504) and the next power of two: ties go to even,
  // which is infinity here.
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude >= 0x38800000u) {  // 2^-14, the smallest normal half
    // Adds half an ulp minus one, plus the last kept bit: rounds to even; a carry moves to the
    // exponent.
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
  // 2^-25, half the smallest subnormal: a tie, and zero is even.
  if (magnitude <= 0x33000000u) return static_cast<uint16_t>(sign);
  const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  const uint32_t shift = 126 - (magnitude >> 23);  // 14..24: bits that do not fit
  const uint32_t kept = mantissa >> shift;
  const uint32_t lost = mantissa & ((1u << shift) - 1);
  const uint32_t tie = 1u << (shift - 1);
  const uint32_t up = (lost > tie || (lost == tie && (kept & 1u) != 0)) ? 1u : 0u;
  return static_cast<uint16_t>(sign | (kept + up));
}

// The bf16 bits are the upper half of the float. NaNs keep their bits, as with a shift in a kernel.
constexpr float BF16ToF32(uint16_t bf16) {
  return std::bit_cast<float>(static_cast<uint32_t>(bf16) << 16);
}

constexpr uint16_t F32ToBF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  // Keeps a NaN a NaN even if all its set bits are among those that are cut off.
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace infer
