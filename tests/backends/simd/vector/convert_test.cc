// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backends/formats/dequantize_row.h"
#include "backends/formats/simple_blocks.h"
#include "backends/simd/isa/vector_kernels.h"
#include "gtest/gtest.h"
#include "runtime/half.h"
#include "tests/backends/simd/runnable_levels.h"
#include "tests/support/kernel_harness.h"

namespace infer::simd {
namespace {

using formats::BlockQ8_0;

TEST(SimdConvert, EveryHalfWidensAsTheReferenceDoes) {
  std::vector<uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  for (const Level* level : RunnableLevels()) {
    std::vector<float> out(halves.size());
    level->vector->from_f16(halves.data(), 65536, out.data());
    for (size_t i = 0; i < halves.size(); ++i) {
      const float expected = F16ToF32(halves[i]);
      ASSERT_EQ(std::memcmp(&out[i], &expected, 4), 0) << level->name << " " << i;
    }
  }
}

TEST(SimdConvert, FloatsNarrowAsTheReferenceDoes) {
  std::vector<float> x = {0.0f,   -0.0f,    65504.0f, 65519.9f,   65520.0f,        1e30f,
                          -1e30f, 0x1p-24f, 0x1p-25f, 0x1.8p-25f, 1.0f + 0x1p-11f, 1.0f + 0x3p-11f};
  x.push_back(std::numeric_limits<float>::infinity());
  x.push_back(std::numeric_limits<float>::quiet_NaN());
  for (float v : RandomFloats(1000, 3)) x.push_back(v);
  for (const Level* level : RunnableLevels()) {
    for (int64_t n : {int64_t{1}, int64_t{13}, static_cast<int64_t>(x.size())}) {
      std::vector<uint16_t> out(x.size(), 0x1234);
      level->vector->to_f16(x.data(), n, out.data());
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(out[i], F32ToF16(x[i])) << level->name << " " << x[i];
      }
    }
  }
}

TEST(SimdConvert, Q8_0IsAmaxOver127WithTiesToEven) {
  for (const Level* level : RunnableLevels()) {
    std::vector<float> x = RandomFloats(96, 9);
    for (int i = 32; i < 64; ++i) x[i] = 0.0f;
    for (int i = 64; i < 96; ++i) x[i] = static_cast<float>(i - 64) * 0.5f;
    x[95] = -127.0f;  // scale 1: halves are ties
    std::vector<BlockQ8_0> blocks(3);
    level->vector->to_q8_0(x.data(), 96, blocks.data());
    for (int b = 0; b < 3; ++b) {
      float largest = 0;
      for (int i = 0; i < 32; ++i) largest = std::max(largest, std::abs(x[b * 32 + i]));
      const float scale = largest / 127.0f;
      ASSERT_EQ(blocks[b].scale.bits(), F32ToF16(scale)) << level->name;
      for (int i = 0; i < 32; ++i) {
        const float q = scale > 0 ? std::nearbyint(x[b * 32 + i] * (1.0f / scale)) : 0.0f;
        ASSERT_EQ(blocks[b].quants[i], q) << level->name << " " << b << " " << i;
      }
    }
    std::vector<float> back(96), expected(96);
    level->vector->from_q8_0(blocks.data(), 96, back.data());
    formats::DequantizeRow(DType::kQ8_0, reinterpret_cast<const std::byte*>(blocks.data()), 96,
                           expected.data());
    EXPECT_EQ(back, expected) << level->name;
  }
}

// Their scale has no inverse.
TEST(SimdConvert, Q8_0KeepsSignsAndZerosOfSubnormals) {
  std::vector<float> x(32, 0.0f);
  x[0] = 127 * 0x1p-140f;
  x[1] = -x[0];
  x[2] = x[0] / 127;
  for (const Level* level : RunnableLevels()) {
    BlockQ8_0 block;
    level->vector->to_q8_0(x.data(), 32, &block);
    EXPECT_EQ(block.scale.bits(), 0) << level->name;
    EXPECT_EQ(block.quants[0], 127) << level->name;
    EXPECT_EQ(block.quants[1], -127) << level->name;
    EXPECT_EQ(block.quants[2], 1) << level->name;
    for (int i = 3; i < 32; ++i) EXPECT_EQ(block.quants[i], 0) << level->name << " " << i;
  }
}

TEST(SimdConvert, Q8_0ShowsWhatIsNoNumber) {
  for (const Level* level : RunnableLevels()) {
    for (float bad :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      for (int at : {0, 13, 31}) {
        std::vector<float> x = RandomFloats(32, 9);
        x[at] = bad;
        BlockQ8_0 block;
        level->vector->to_q8_0(x.data(), 32, &block);
        level->vector->from_q8_0(&block, 32, x.data());
        for (float v : x) ASSERT_TRUE(std::isnan(v)) << level->name << " " << at;
      }
    }
  }
}

}  // namespace
}  // namespace infer::simd
