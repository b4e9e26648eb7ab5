// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised weights: shapes at the edges of panels, groups and tiles.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/backends/simd/i8mm/int8_product.h"

namespace infer::simd {
namespace {

// Activations are rounded to a 254th of the range of their group, about 6.5e-3 of their length;
// 2e-2 is three times that, for the worst of some thousand results.
constexpr double kTolerance = 2e-2;

class Int8Linear : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (!kI8mmLevel.runs_here()) GTEST_SKIP() << "this CPU lacks " << kI8mmLevel.needs;
  }
  int64_t block() const { return static_cast<int64_t>(Info(GetParam()).block_elements); }
};

TEST_P(Int8Linear, IsTheProductForEveryNumberOfTokens) {
  for (int64_t tokens = 1; tokens <= 13; ++tokens) {
    const Int8Product product(GetParam(), tokens, 40, 256);
    EXPECT_LT(product.Error(product.Run(40)), kTolerance) << tokens << " tokens";
  }
}

TEST_P(Int8Linear, IsTheProductForEveryInnerLength) {
  for (const int64_t inner : {32, 64, 96, 128, 160, 256, 288, 512, 768, 1024, 3072}) {
    if (inner % block() != 0) continue;
    for (const int64_t tokens : {1, 2, 4, 8, 9}) {
      const Int8Product product(GetParam(), tokens, 32, inner);
      EXPECT_LT(product.Error(product.Run(32)), kTolerance) << inner << ", " << tokens;
    }
  }
}

TEST_P(Int8Linear, LastPanelMayBePartial) {
  for (const int64_t outputs : {1, 3, 4, 5, 7, 8, 9, 33, 39}) {
    for (const int64_t tokens : {1, 3, 8, 11}) {
      const Int8Product product(GetParam(), tokens, outputs, 256);
      const std::vector<float> out = product.Run(32);
      EXPECT_LT(product.Error(out), kTolerance) << outputs << ", " << tokens;
      for (int64_t token = 0; token < tokens; ++token) {
        EXPECT_EQ(out[token * product.stride() + outputs], 777.0f) << "written past the columns";
      }
    }
  }
}

TEST_P(Int8Linear, ColumnRangesGiveTheSameBits) {
  for (const int64_t tokens : {1, 5, 14}) {
    const Int8Product product(GetParam(), tokens, 100, 512);
    EXPECT_EQ(product.Run(32), product.Run(100)) << tokens;
    EXPECT_EQ(product.Run(64), product.Run(100)) << tokens;
  }
}

TEST_P(Int8Linear, ManyTokens) {
  const Int8Product product(GetParam(), 512, 16, 256);
  EXPECT_LT(product.Error(product.Run(16)), kTolerance);
}

// A result must not look like a number when the activations were none.
TEST_P(Int8Linear, NanAndInfinityReachEveryResultOfTheirRowOnly) {
  for (const int64_t tokens : {1, 2, 4, 8, 9, 13}) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity()}) {
      for (const int64_t place : {int64_t{0}, int64_t{200}, int64_t{511}}) {
        Int8Product product(GetParam(), tokens, 9, 512);
        const int64_t token = tokens - 1;
        product.x[token * 512 + place] = bad;
        const std::vector<float> out = product.Run(32);
        for (int64_t i = 0; i < tokens * 9; ++i) {
          const float value = out[i / 9 * product.stride() + i % 9];
          EXPECT_EQ(std::isfinite(value), i / 9 != token)
              << bad << " at " << place << ": " << value;
        }
      }
    }
  }
}

TEST_P(Int8Linear, ZerosGiveZeros) {
  Int8Product product(GetParam(), 9, 8, 256);
  product.x.assign(product.x.size(), 0.0f);
  const std::vector<float> out = product.Run(8);
  for (int64_t token = 0; token < 9; ++token) {
    for (int64_t c = 0; c < 8; ++c) EXPECT_NEAR(out[token * product.stride() + c], 0, 1e-25);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Int8Linear,
                         ::testing::Values(DType::kQ8_0, DType::kQ4_0, DType::kQ4_K, DType::kQ6_K,
                                           DType::kQ4_1, DType::kQ5_0, DType::kQ5_1, DType::kQ2_K,
                                           DType::kQ3_K, DType::kQ5_K, DType::kIQ4_NL,
                                           DType::kIQ4_XS, DType::kMXFP4),
                         [](const auto& test) { return std::string(Info(test.param).name); });

}  // namespace
}  // namespace infer::simd
