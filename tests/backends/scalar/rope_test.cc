// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/ops/rope_attrs.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ops::AttrsOf;

// Rotates pairs (1, 0) at `position`, which gives the cosines, then the sines.
std::vector<float> CosinesAndSines(const ops::RopeParams& rope, int64_t head_dim,
                                   int32_t position) {
  std::vector<float> x(head_dim, 0.0f);
  std::fill_n(x.begin(), head_dim / 2, 1.0f);
  Batch batch;
  batch.token_pos = {&position, 1};
  auto out = KernelHarness(ScalarKernels(), "rope_f32_scalar")
                 .In(F32Tensor({Symbol::kT, 1, head_dim}, x))
                 .In(&batch)
                 .At({1, 1, 1})
                 .Attrs(AttrsOf(rope))
                 .Run();
  return out[0].floats();
}

struct Expected {
  int pair;
  float cosine, sine;
};

void ExpectPairs(const std::vector<float>& found, std::span<const Expected> expected) {
  for (const Expected& e : expected) {
    EXPECT_NEAR(found[e.pair], e.cosine, 2e-7) << e.pair;
    EXPECT_NEAR(found[found.size() / 2 + e.pair], e.sine, 2e-7) << e.pair;
  }
}

TEST(ScalarRope, TurnsByPositionTimesFrequency) {
  // cos and sin of 7 * 10000^(-i/4).
  constexpr Expected kExpected[] = {{0, 0.753902256f, 0.656986594f},
                                    {1, 0.764842212f, 0.64421767f},
                                    {2, 0.997551024f, 0.0699428469f},
                                    {3, 0.999975502f, 0.00699994294f}};
  ExpectPairs(CosinesAndSines({.base = 10000}, 8, 7), kExpected);
}

TEST(ScalarRope, LeavesPositionZeroAlone) {
  const int32_t positions[] = {0, 0};
  Batch batch;
  batch.token_pos = positions;
  std::vector<float> x = RandomFloats(2 * 3 * 4, 1);
  auto out = KernelHarness(ScalarKernels(), "rope_f32_scalar")
                 .In(F32Tensor({Symbol::kT, 3, 4}, x))
                 .In(&batch)
                 .At({2, 1, 1})
                 .Attrs(AttrsOf({}))
                 .Run();
  EXPECT_EQ(out[0].floats(), x);
}

TEST(ScalarRope, TurnsEveryHeadOfATokenAlike) {
  const int32_t positions[] = {3, 11, 2};
  Batch batch;
  batch.token_pos = positions;
  const int64_t heads = 2;
  const int64_t head_dim = 6;
  std::vector<float> x = RandomFloats(3 * heads * head_dim, 1);
  auto out = KernelHarness(ScalarKernels(), "rope_f32_scalar")
                 .In(F32Tensor({Symbol::kT, heads, head_dim}, x))
                 .In(&batch)
                 .At({3, 1, 1})
                 .Attrs(AttrsOf({.base = 1000}))
                 .Run();
  std::vector<float> found = out[0].floats();
  for (int64_t row = 0; row < 3 * heads; ++row) {
    for (int64_t i = 0; i < 3; ++i) {
      const double angle = positions[row / heads] * std::pow(1000.0, -i / 3.0);
      const double a = x[row * head_dim + i];
      const double b = x[row * head_dim + i + 3];
      EXPECT_NEAR(found[row * head_dim + i], a * std::cos(angle) - b * std::sin(angle), 2e-6);
      EXPECT_NEAR(found[row * head_dim + i + 3], b * std::cos(angle) + a * std::sin(angle), 2e-6);
    }
  }
}

TEST(ScalarRope, TurnsAdjacentPairsLikePairsHalfAHeadApart) {
  const int32_t positions[] = {5};
  Batch batch;
  batch.token_pos = positions;
  const std::vector<float> halves = RandomFloats(8, 1);
  std::vector<float> adjacent(8);
  for (int i = 0; i < 4; ++i) {
    adjacent[2 * i] = halves[i];
    adjacent[2 * i + 1] = halves[4 + i];
  }
  auto turned = [&](const std::vector<float>& x, bool are_adjacent) {
    return KernelHarness(ScalarKernels(), "rope_f32_scalar")
        .In(F32Tensor({Symbol::kT, 1, 8}, x))
        .In(&batch)
        .At({1, 1, 1})
        .Attrs(AttrsOf({.base = 100, .adjacent = are_adjacent}))
        .Run()[0]
        .floats();
  };
  const std::vector<float> expected = turned(halves, false);
  const std::vector<float> found = turned(adjacent, true);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(found[2 * i], expected[i]);
    EXPECT_EQ(found[2 * i + 1], expected[4 + i]);
  }
}

TEST(ScalarRope, FactorsDivideTheAngles) {
  const double factors[] = {1, 2, 8, 32};
  const std::vector<float> found = CosinesAndSines({.base = 10000, .factors = factors}, 8, 7);
  for (int i = 0; i < 4; ++i) {
    const double angle = 7 * std::pow(10000.0, -i / 4.0) / factors[i];
    EXPECT_NEAR(found[i], std::cos(angle), 3e-7) << i;
    EXPECT_NEAR(found[4 + i], std::sin(angle), 3e-7) << i;
  }
}

TEST(ScalarRope, LinearScalingDividesThePosition) {
  EXPECT_EQ(CosinesAndSines({.freq_scale = 0.25}, 16, 12), CosinesAndSines({}, 16, 3));
}

TEST(ScalarRope, AttnFactorScalesSineAndCosine) {
  std::vector<float> plain = CosinesAndSines({}, 4, 5);
  std::vector<float> scaled = CosinesAndSines({.attn_factor = 2}, 4, 5);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(scaled[i], 2 * plain[i]);
}

// Angles as transformers computes them for rope type "yarn" with factor 4, base 1e6, head_dim 64,
// original_max_position_embeddings 32768, beta_fast 32, beta_slow 1, in float32. The ramp goes from
// pair 11 to pair 20; the attention factor is 0.1 ln 4 + 1 = 1.13862944.
constexpr ops::RopeParams kYarn = {
    .base = 1e6, .freq_scale = 0.25, .ext_factor = 1, .original_context = 32768};

TEST(ScalarRope, YarnMatchesTransformersAtPosition1) {
  constexpr Expected kExpected[] = {
      {0, 0.615204096f, 0.958123624f},    {1, 0.906870365f, 0.688522398f},
      {11, 1.13858676f, 0.0098600015f},   {12, 1.1386143f, 0.00586937601f},
      {14, 1.13862765f, 0.00202508597f},  {17, 1.13862932f, 0.000369702524f},
      {19, 1.13862944f, 0.000103934835f}, {20, 1.13862944f, 5.06200304e-05f},
      {25, 1.13862944f, 5.8455098e-06f},  {31, 1.13862944f, 4.38351407e-07f},
  };
  ExpectPairs(CosinesAndSines(kYarn, 64, 1), kExpected);
}

TEST(ScalarRope, YarnMatchesTransformersAtPosition1000) {
  constexpr Expected kExpected[] = {
      {0, 0.640341341f, 0.941509426f},   {1, -0.682511389f, 0.911402881f},
      {11, -0.821280837f, 0.788653731f}, {12, 0.487465113f, -1.02900672f},
      {14, -0.234834567f, 1.11414981f},  {17, 1.0791353f, 0.363240749f},
      {19, 1.13388908f, 0.103790559f},   {20, 1.13750434f, 0.0506033562f},
      {25, 1.13861442f, 0.00584548432f}, {31, 1.13862932f, 0.000438351417f},
  };
  std::vector<float> found = CosinesAndSines(kYarn, 64, 1000);
  for (const Expected& e : kExpected) {
    // A unit in the last place of an angle of up to 1000.
    EXPECT_NEAR(found[e.pair], e.cosine, 7e-5) << e.pair;
    EXPECT_NEAR(found[32 + e.pair], e.sine, 7e-5) << e.pair;
  }
}

TEST(ScalarRope, YarnWithoutExtrapolationIsLinearWithoutItsMagnitude) {
  ops::RopeParams linear = kYarn;
  linear.ext_factor = 0;
  EXPECT_EQ(CosinesAndSines(linear, 64, 40), CosinesAndSines({.base = 1e6}, 64, 10));
}

}  // namespace
}  // namespace infer
