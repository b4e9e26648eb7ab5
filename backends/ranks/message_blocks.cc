// SPDX-License-Identifier: Apache-2.0
//
// int8x32: a product divides 32 elements by scale = largest magnitude / 127 and rounds, ties to
// even. The scale itself would not do as a message: 127 times a rounded quotient is not always the
// largest magnitude, and the product would find another scale. So the magnitude is sent, and the
// elements with the extreme number of the block become it again; the others become number * scale,
// which does not exceed it and rounds to the same number. An infinity or NaN makes the block NaN,
// as it does in the product.
#include "backends/ranks/message_blocks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/half.h"

namespace infer {
namespace {

constexpr int kBlock = 32;

// Instructions of x86 that round to bf16 take denormal numbers as zero; cut, they stay denormal.
#if defined(__aarch64__)
constexpr bool kCutsDenormals = false;
#else
constexpr bool kCutsDenormals = true;
#endif

uint16_t ToBf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const bool cut = kCutsDenormals && (bits & 0x7f800000u) == 0;
  const uint32_t half = cut ? 0 : 0x7fffu + (bits >> 16 & 1u);
  return static_cast<uint16_t>(is_nan ? bits >> 16 | 0x40u : (bits + half) >> 16);
}

void WriteBf16(const float* values, int64_t elements, std::byte* to) {
  auto* out = reinterpret_cast<uint16_t*>(to);
  for (int64_t i = 0; i < elements; ++i) out[i] = ToBf16(values[i]);
}

void ReadBf16(const std::byte* from, int64_t elements, float* values) {
  const auto* in = reinterpret_cast<const uint16_t*>(from);
  for (int64_t i = 0; i < elements; ++i) values[i] = BF16ToF32(in[i]);
}

void WriteBlock(const float* x, std::byte* to) {
  float largest = 0, trap = 0;
  for (int i = 0; i < kBlock; ++i) {
    largest = std::max(largest, std::abs(x[i]));
    trap += x[i] * 0.0f;  // NaN and infinity times zero are NaN
  }
  if (trap != 0) largest = std::numeric_limits<float>::quiet_NaN();
  int8_t numbers[kBlock] = {};
  if (const float scale = largest / 127.0f; scale > 0) {
    const float inverse = 1.0f / scale;
    const bool divide = std::isinf(inverse);
    for (int i = 0; i < kBlock; ++i) {
      const float quotient = divide ? x[i] / scale : x[i] * inverse;
      // Adding 1.5 * 2^23 rounds to an integer, ties to even, in the low bits. A denormal scale is
      // so inexact that quotients exceed 127; products keep what fits into a byte.
      const float shifted = std::clamp(quotient, -128.0f, 127.0f) + 0x1.8p23f;
      numbers[i] = static_cast<int8_t>(std::bit_cast<int32_t>(shifted) & 0xff);
    }
  }
  std::memcpy(to, &largest, sizeof(largest));
  std::memcpy(to + sizeof(largest), numbers, sizeof(numbers));
}

void ReadBlock(const std::byte* from, float* x) {
  float largest;
  int8_t numbers[kBlock];
  std::memcpy(&largest, from, sizeof(largest));
  std::memcpy(numbers, from + sizeof(largest), sizeof(numbers));
  const float scale = largest / 127.0f;
  const auto [least, most] = std::ranges::minmax(numbers);
  // Of one sign only: with a denormal scale, the largest magnitude may be 127 as a positive number
  // and -128 as a negative one.
  const int8_t extreme = -least > most ? least : most;
  const float restored = std::copysign(largest, static_cast<float>(extreme));
  for (int i = 0; i < kBlock; ++i) {
    x[i] = numbers[i] == extreme ? restored : static_cast<float>(numbers[i]) * scale;
  }
}

}  // namespace

void WriteMessage(const MessageForm& form, const float* values, int64_t elements, std::byte* to) {
  if (form.name.empty()) {
    std::memcpy(to, values, static_cast<size_t>(elements) * sizeof(float));
    return;
  }
  if (form.block_elements == 1) return WriteBf16(values, elements, to);
  for (int64_t i = 0; i < elements; i += kBlock, to += form.block_bytes) WriteBlock(values + i, to);
}

void ReadMessage(const MessageForm& form, const std::byte* from, int64_t elements, float* values) {
  if (form.name.empty()) {
    std::memcpy(values, from, static_cast<size_t>(elements) * sizeof(float));
    return;
  }
  if (form.block_elements == 1) return ReadBf16(from, elements, values);
  for (int64_t i = 0; i < elements; i += kBlock, from += form.block_bytes) {
    ReadBlock(from, values + i);
  }
}

}  // namespace infer
