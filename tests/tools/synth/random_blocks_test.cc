// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/random_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "tools/synth/weight_type.h"

namespace infer {
namespace {

constexpr uint64_t kColumns = 4096;

std::vector<std::byte> Row(DType dtype, uint64_t row, uint64_t columns = kColumns) {
  RandomRows rows(dtype, columns, 99);
  std::vector<std::byte> bytes(rows.row_bytes());
  rows.Fill(row, bytes);
  return bytes;
}

float HalfAt(const std::byte* at) {
  const uint32_t bits = std::to_integer<uint32_t>(at[0]) | std::to_integer<uint32_t>(at[1]) << 8;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const float mantissa = static_cast<float>(bits & 1023);
  if (exponent == 31) return NAN;
  const float magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024.0f + mantissa, exponent - 25);
  return bits & 0x8000u ? -magnitude : magnitude;
}

struct HalfFields {
  DType dtype;
  int scale;             // offset of d in a block
  int min;               // offset of m or dmin, -1 without
  float min_per_scale;   // m / d that centres the codes
  float largest_factor;  // of |d| in a value
};

// From the definition of the formats: offset of the scale, and the largest |code x group scale|.
constexpr HalfFields kFields[] = {
    {DType::kQ8_0, 0, -1, 0, 127},        {DType::kQ4_0, 0, -1, 0, 8},
    {DType::kQ4_1, 0, 2, -7.5f, 15},      {DType::kQ5_0, 0, -1, 0, 16},
    {DType::kQ5_1, 0, 2, -15.5f, 31},     {DType::kQ2_K, 80, 82, 1.5f, 3 * 15},
    {DType::kQ3_K, 108, -1, 0, 32 * 4},   {DType::kQ4_K, 0, 2, 7.5f, 63 * 15},
    {DType::kQ5_K, 0, 2, 15.5f, 63 * 31}, {DType::kQ6_K, 208, -1, 0, 128 * 32},
    {DType::kIQ4_NL, 0, -1, 0, 127},      {DType::kIQ4_XS, 0, -1, 0, 32 * 127},
};

TEST(RandomBlocks, ScalesAreFiniteAndKeepValuesNearTheDeviation) {
  const float deviation = 1 / std::sqrt(static_cast<float>(kColumns));
  for (const HalfFields& fields : kFields) {
    const std::vector<std::byte> row = Row(fields.dtype, 0);
    for (size_t at = 0; at < row.size(); at += Info(fields.dtype).block_bytes) {
      const float scale = HalfAt(&row[at + fields.scale]);
      ASSERT_TRUE(std::isfinite(scale)) << Name(fields.dtype);
      const float largest = std::abs(scale) * fields.largest_factor;
      ASSERT_GT(largest, deviation) << Name(fields.dtype);
      ASSERT_LT(largest, 8 * deviation) << Name(fields.dtype);
      if (fields.min < 0) continue;
      ASSERT_NEAR(HalfAt(&row[at + fields.min]) / scale, fields.min_per_scale,
                  std::abs(fields.min_per_scale) * 0.01f)
          << Name(fields.dtype);
    }
  }
}

TEST(RandomBlocks, Q8_0HasNoCodeMinus128) {
  for (uint64_t row = 0; row < 64; ++row) {
    const std::vector<std::byte> bytes = Row(DType::kQ8_0, row);
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (i % 34 < 2) continue;
      ASSERT_NE(bytes[i], std::byte{0x80});
    }
  }
}

TEST(RandomBlocks, Mxfp4ExponentsAreNearTheDeviation) {
  const std::vector<std::byte> row = Row(DType::kMXFP4, 0);
  for (size_t at = 0; at < row.size(); at += 17) {
    const float scale = std::ldexp(1.0f, std::to_integer<int>(row[at]) - 127);
    // 1/64 / 2.93 is between 2^-8 and 2^-7.
    ASSERT_TRUE(scale == 1.0f / 256 || scale == 1.0f / 128) << scale;
  }
}

TEST(RandomBlocks, F32HasMeanZeroAndTheDeviation) {
  double sum = 0, squares = 0;
  for (uint64_t row = 0; row < 32; ++row) {
    const std::vector<std::byte> bytes = Row(DType::kF32, row);
    for (size_t at = 0; at < bytes.size(); at += 4) {
      float value;
      std::memcpy(&value, &bytes[at], 4);
      sum += value;
      squares += double{value} * value;
    }
  }
  const double count = 32.0 * kColumns;
  EXPECT_NEAR(sum / count, 0, 2e-4);
  EXPECT_NEAR(std::sqrt(squares / count), 1.0 / 64, 1e-4);
}

TEST(RandomBlocks, EveryTypeHasRowsThatDifferAndRepeat) {
  for (const WeightType& type : AllWeightTypes()) {
    ASSERT_TRUE(SupportsRandomBlocks(type.dtype)) << type.name;
    EXPECT_EQ(Row(type.dtype, 5).size(), BytesFor(type.dtype, kColumns)) << type.name;
    EXPECT_EQ(Row(type.dtype, 5), Row(type.dtype, 5)) << type.name;
    EXPECT_NE(Row(type.dtype, 5), Row(type.dtype, 6)) << type.name;
  }
  EXPECT_FALSE(SupportsRandomBlocks(DType::kIQ1_S));
  EXPECT_FALSE(SupportsRandomBlocks(DType::kI32));
}

TEST(RandomBlocks, WidestAllowedRowStillHasScalesAboveZero) {
  for (const HalfFields& fields : kFields) {
    const std::vector<std::byte> row = Row(fields.dtype, 0, 1u << 22);
    EXPECT_NE(HalfAt(&row[fields.scale]), 0) << Name(fields.dtype);
  }
}

TEST(RandomBlocks, BiasesAreSmallAndOfBothSigns) {
  std::vector<std::byte> bytes(4096);
  FillBias(1, bytes);
  float least = 0, most = 0;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    float value;
    std::memcpy(&value, &bytes[at], 4);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_NEAR(least, -0.1f, 0.01f);
  EXPECT_NEAR(most, 0.1f, 0.01f);
}

TEST(RandomBlocks, NormsAreAroundOne) {
  std::vector<std::byte> bytes(4096);
  FillNorm(1, bytes);
  float least = 2, most = 0;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    float value;
    std::memcpy(&value, &bytes[at], 4);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_GE(least, 0.9f);
  EXPECT_LT(least, 0.91f);
  EXPECT_LT(most, 1.1001f);
  EXPECT_GT(most, 1.09f);
}

}  // namespace
}  // namespace infer
