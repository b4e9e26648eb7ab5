// SPDX-License-Identifier: Apache-2.0
//
// A quantised row is filled with random bytes; then each block's scale fields, the only ones that
// can make a value infinite or absurd, are replaced. The random bits that they held choose the
// replacement, so a row needs one pass of the generator.
#include "tools/synth/random_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "runtime/half.h"

namespace infer {
namespace {

using Table = RandomRows::ScaleTable;
using FixBlock = void (*)(const Table& table, std::byte* block);

// Offsets below refer to GGUF's block layouts.

uint32_t Load16(const std::byte* at) {
  return std::to_integer<uint32_t>(at[0]) | std::to_integer<uint32_t>(at[1]) << 8;
}

void Store16(std::byte* at, uint32_t bits) {
  at[0] = static_cast<std::byte>(bits & 0xffu);
  at[1] = static_cast<std::byte>(bits >> 8);
}

void Store32(std::byte* at, uint32_t bits) {
  Store16(at, bits & 0xffffu);
  Store16(at + 2, bits >> 16);
}

void FixPositiveScale(const Table& table, std::byte* scale) {
  Store16(scale, table.scale[Load16(scale) % RandomRows::kScaleSteps]);
}

// Quantizers give a scale the sign of the value of largest magnitude if codes reach further below
// zero than above; a random sign also cancels the mean of such codes.
void FixSignedScale(const Table& table, std::byte* scale) {
  const uint32_t random = Load16(scale);
  Store16(scale, table.scale[random % RandomRows::kScaleSteps] | (random & 0x8000u));
}

void FixScaleAndMin(const Table& table, std::byte* scale, std::byte* min) {
  const uint32_t step = Load16(scale) % RandomRows::kScaleSteps;
  Store16(scale, table.scale[step]);
  Store16(min, table.min[step]);
}

void FixScaleFirst(const Table& table, std::byte* block) { FixSignedScale(table, block); }

void FixQ8_0(const Table& table, std::byte* block) {
  FixPositiveScale(table, block);
  // Codes are -127 to 127; kernels may rely on -128 never occurring.
  for (int i = 2; i < 34; ++i) {
    if (block[i] == std::byte{0x80}) block[i] = std::byte{0x81};
  }
}

void FixQ4_1(const Table& table, std::byte* block) { FixScaleAndMin(table, block, block + 2); }

// Sixteen bytes of 4-bit scale and 4-bit minimum, both kept in 8..15 so that no group is all zero.
void FixQ2_K(const Table& table, std::byte* block) {
  for (int i = 0; i < 16; ++i) block[i] |= std::byte{0x88};
  FixScaleAndMin(table, block + 80, block + 82);
}

void FixQ3_K(const Table& table, std::byte* block) { FixSignedScale(table, block + 108); }

// Q4_K and Q5_K: eight 6-bit scales and minimums in 12 bytes at 4. Bit 5 of the first four of each
// is bit 5 of bytes 0-7, of the last four bit 7 of the same bytes: setting both keeps all
// in 32..63.
void FixQ4_K(const Table& table, std::byte* block) {
  for (int i = 4; i < 12; ++i) block[i] |= std::byte{0xa0};
  FixScaleAndMin(table, block, block + 2);
}

// Sixteen signed 8-bit scales at 192, kept in -128..-65 and 64..127.
void FixQ6_K(const Table& table, std::byte* block) {
  for (int i = 192; i < 208; ++i) {
    const std::byte low = block[i] & std::byte{0x3f};
    const bool negative = (block[i] & std::byte{0x80}) != std::byte{0};
    block[i] = low | (negative ? std::byte{0x80} : std::byte{0x40});
  }
  FixPositiveScale(table, block + 208);
}

void FixMxfp4(const Table& table, std::byte* block) {
  const int smaller = std::to_integer<int>(block[0]) & 1;
  block[0] = static_cast<std::byte>(table.exponent - smaller);
}

struct BlockRule {
  RandomType type;
  FixBlock fix = nullptr;    // nullptr for a plain type
  float code_deviation = 0;  // root mean square of the values of a random block whose scale is 1
  float min_per_scale = 0;   // min = scale x this centres the codes
};

// Code deviations: n equally likely codes spread by sqrt((n^2 - 1) / 12); times the root mean
// square of the group scales, where a block has them.
constexpr BlockRule kRules[] = {
    {{DType::kF32, 0}},
    {{DType::kF16, 1}},
    {{DType::kBF16, 32}},
    {{DType::kQ8_0, 7}, FixQ8_0, 73.3f},
    {{DType::kQ4_0, 2}, FixScaleFirst, 4.64f},
    {{DType::kQ4_1, 3}, FixQ4_1, 4.61f, -7.5f},
    {{DType::kQ5_0, 8}, FixScaleFirst, 9.25f},
    {{DType::kQ5_1, 9}, FixQ4_1, 9.23f, -15.5f},
    {{DType::kQ2_K, 10}, FixQ2_K, 13.6f, 1.5f},
    {{DType::kQ3_K, 11}, FixQ3_K, 43.3f},
    {{DType::kQ4_K, 14}, FixQ4_K, 243.f, 7.5f},
    {{DType::kQ5_K, 16}, FixQ4_K, 493.f, 15.5f},
    {{DType::kQ6_K, 18}, FixQ6_K, 1800.f},
    {{DType::kIQ4_NL, 25}, FixScaleFirst, 67.4f},
    {{DType::kIQ4_XS, 30}, FixScaleFirst, 1246.f},
    {{DType::kMXFP4, 38}, FixMxfp4, 2.93f},
};

constexpr auto kRandomTypes = [] {
  std::array<RandomType, std::size(kRules)> types = {};
  std::ranges::transform(kRules, types.begin(), &BlockRule::type);
  return types;
}();

const BlockRule* FindRule(DType dtype) {
  for (const BlockRule& rule : kRules) {
    if (rule.type.dtype == dtype) return &rule;
  }
  return nullptr;
}

Table MakeTable(DType dtype, uint64_t columns) {
  Table table = {};
  table.deviation = 1.0f / std::sqrt(static_cast<float>(columns));
  const BlockRule* rule = FindRule(dtype);
  if (rule == nullptr || rule->fix == nullptr) return table;
  const float base = table.deviation / rule->code_deviation;
  for (size_t step = 0; step < RandomRows::kScaleSteps; ++step) {
    const float scale = base * (static_cast<float>(192 + step) / 256.0f);
    table.scale[step] = F32ToF16(scale);
    table.min[step] = F32ToF16(scale * rule->min_per_scale);
  }
  // ilogb rounds 1/sqrt(columns) / 2.93 down to a power of two; the block takes it or its double.
  table.exponent = static_cast<uint8_t>(128 + std::ilogb(base));
  return table;
}

// Sums four 16-bit numbers, centred: close enough to a normal distribution, and computed on
// integers, hence the same everywhere.
float NearNormal(uint64_t random) {
  const int sum = static_cast<int>((random & 0xffffu) + (random >> 16 & 0xffffu) +
                                   (random >> 32 & 0xffffu) + (random >> 48));
  constexpr float kDeviation = 37837.2f;  // sqrt(4 x (65536^2 - 1) / 12)
  return static_cast<float>(sum - 2 * 65535) / kDeviation;
}

void FillPlain(DType dtype, float deviation, RandomStream& stream, std::span<std::byte> out) {
  const size_t element_bytes = Info(dtype).block_bytes;
  for (size_t at = 0; at < out.size(); at += element_bytes) {
    const float value = NearNormal(stream.Next()) * deviation;
    if (dtype == DType::kF32) {
      Store32(&out[at], std::bit_cast<uint32_t>(value));
    } else {
      Store16(&out[at], dtype == DType::kF16 ? F32ToF16(value) : F32ToBF16(value));
    }
  }
}

}  // namespace

std::span<const RandomType> RandomTypes() { return kRandomTypes; }

bool SupportsRandomBlocks(DType dtype) { return FindRule(dtype) != nullptr; }

RandomRows::RandomRows(DType dtype, uint64_t columns, uint64_t stream_key)
    : dtype_(dtype),
      stream_key_(stream_key),
      row_bytes_(columns / Info(dtype).block_elements * Info(dtype).block_bytes),
      table_(MakeTable(dtype, columns)) {}

void RandomRows::Fill(uint64_t row, std::span<std::byte> out) const {
  RandomStream stream(stream_key_, row);
  const FixBlock fix = FindRule(dtype_)->fix;
  if (fix == nullptr) return FillPlain(dtype_, table_.deviation, stream, out);
  stream.Fill(out);
  const size_t block_bytes = Info(dtype_).block_bytes;
  for (size_t at = 0; at < out.size(); at += block_bytes) fix(table_, &out[at]);
}

void FillBias(uint64_t stream_key, std::span<std::byte> out) {
  RandomStream stream(stream_key, 0);
  for (size_t at = 0; at < out.size(); at += 4) {
    // From -0.1 to 0.1 in steps of 2^-24.
    const int32_t steps = static_cast<int32_t>(stream.Below(3355443u)) - 1677721;
    Store32(&out[at], std::bit_cast<uint32_t>(static_cast<float>(steps) / 16777216.0f));
  }
}

void FillNorm(uint64_t stream_key, std::span<std::byte> out) {
  RandomStream stream(stream_key, 0);
  for (size_t at = 0; at < out.size(); at += 4) {
    // 0.9 and 0.2 in steps of 2^-24, added as integers: the same bits on every processor.
    const uint32_t steps = 15099494u + stream.Below(3355443u);
    Store32(&out[at], std::bit_cast<uint32_t>(static_cast<float>(steps) / 16777216.0f));
  }
}

}  // namespace infer
