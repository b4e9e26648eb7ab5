// SPDX-License-Identifier: Apache-2.0
//
// Activations with a few channels far above the others, as trained models have them: a scale for
// each group keeps the others' digits where one scale for the row would lose them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/backends/simd/i8mm/int8_product.h"

namespace infer::simd {
namespace {

constexpr int64_t kInner = 3072;
constexpr int64_t kOutliers[] = {5, 700, 1500, 2900};  // in four groups

Int8Product WithOutliers(DType dtype, int64_t tokens, float factor) {
  Int8Product product(dtype, tokens, 64, kInner);
  for (int64_t token = 0; token < tokens; ++token) {
    for (const int64_t channel : kOutliers) product.x[token * kInner + channel] *= factor;
  }
  return product;
}

// [tokens][outputs]
std::vector<double> ExactProduct(const Int8Product& product, const std::vector<float>& x) {
  std::vector<double> out;
  std::vector<float> weights(product.outputs * kInner);
  const uint64_t row_bytes = formats::RowBytes(product.dtype, kInner);
  for (int64_t column = 0; column < product.outputs; ++column) {
    formats::DequantizeRow(product.dtype, product.rows.data() + column * row_bytes, kInner,
                           weights.data() + column * kInner);
  }
  for (int64_t token = 0; token < product.tokens; ++token) {
    for (int64_t column = 0; column < product.outputs; ++column) {
      double sum = 0;
      for (int64_t i = 0; i < kInner; ++i) {
        sum += static_cast<double>(x[token * kInner + i]) * weights[column * kInner + i];
      }
      out.push_back(sum);
    }
  }
  return out;
}

double RelativeRms(const std::vector<double>& found, const std::vector<double>& exact) {
  double difference = 0, length = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    difference += (found[i] - exact[i]) * (found[i] - exact[i]);
    length += exact[i] * exact[i];
  }
  return std::sqrt(difference / length);
}

double KernelError(const Int8Product& product) {
  const std::vector<float> out = product.Run(64);
  std::vector<double> found;
  for (int64_t token = 0; token < product.tokens; ++token) {
    const float* row = out.data() + token * product.stride();
    found.insert(found.end(), row, row + product.outputs);
  }
  return RelativeRms(found, ExactProduct(product, product.x));
}

// What rounding to int8 with a scale for each `group` elements costs, in exact arithmetic.
double RoundingError(const Int8Product& product, int64_t group) {
  std::vector<float> rounded = product.x;
  for (size_t first = 0; first < rounded.size(); first += group) {
    float* x = rounded.data() + first;
    float largest = 0;
    for (int64_t i = 0; i < group; ++i) largest = std::max(largest, std::abs(x[i]));
    const float scale = largest / 127;
    for (int64_t i = 0; i < group; ++i) x[i] = scale * std::nearbyint(x[i] / scale);
  }
  return RelativeRms(ExactProduct(product, rounded), ExactProduct(product, product.x));
}

class ActivationGroups : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (!kI8mmLevel.runs_here()) GTEST_SKIP() << "this CPU lacks " << kI8mmLevel.needs;
  }
};

TEST_P(ActivationGroups, OutliersCostTheirGroupsOnly) {
  // Rounding over groups of 128 costs 1.6e-2 and 2.6e-2 on average, over the row 5.9e-2 and 9.8e-2.
  struct Case {
    float factor;
    double bound;
  };
  for (const Case& c : {Case{20, 2.4e-2}, Case{100, 3.6e-2}}) {
    for (const int64_t tokens : {1, 8, 13}) {
      const Int8Product product = WithOutliers(GetParam(), tokens, c.factor);
      EXPECT_LT(KernelError(product), c.bound) << c.factor << "-fold, " << tokens << " tokens";
      EXPECT_GT(RoundingError(product, kInner), c.bound) << "the bound would allow a row's scale";
    }
  }
}

// What the kernels add to the rounding of groups is little, so another size shows.
TEST_P(ActivationGroups, ErrorIsThatOfTheGroups) {
  const int64_t group = GetParam() == DType::kQ4_K || GetParam() == DType::kQ6_K ? 128 : 32;
  for (const int64_t tokens : {1, 8, 13, 40}) {
    const Int8Product product = WithOutliers(GetParam(), tokens, 20);
    const double rounding = RoundingError(product, group);
    EXPECT_NEAR(KernelError(product), rounding, 0.05 * rounding) << tokens << " tokens";
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ActivationGroups,
                         ::testing::Values(DType::kQ8_0, DType::kQ4_0, DType::kQ4_K, DType::kQ6_K,
                                           DType::kQ5_1, DType::kQ2_K),
                         [](const auto& test) { return std::string(Info(test.param).name); });

}  // namespace
}  // namespace infer::simd
