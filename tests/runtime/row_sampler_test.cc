// SPDX-License-Identifier: Apache-2.0
//
// That the tokens are the right ones: plain_sampler_test. Here: what a caller must rely on besides.
#include "runtime/row_sampler.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "runtime/random.h"

namespace infer {
namespace {

constexpr double kAlmostOne = 1 - 0x1.0p-53;

SampledToken Sample(const RowFilters& filters, const std::vector<float>& row, double unit) {
  RowSampler sampler(filters, row.size());
  return sampler.Sample(row, Summarize(row).largest, unit);
}

TEST(RowSampler, UnitsGoThroughTheTokensFromTheLikeliest) {
  const std::vector<float> row = {0.0f, std::log(3.0f), kExcludedLogit, 0.0f};
  const double end_of_first = 0.6;
  EXPECT_EQ(Sample({}, row, 0.0).id, 1);
  EXPECT_EQ(Sample({}, row, end_of_first - 1e-5).id, 1);
  EXPECT_EQ(Sample({}, row, end_of_first + 1e-5).id, 0);
  EXPECT_EQ(Sample({}, row, 0.8 - 1e-5).id, 0);
  EXPECT_EQ(Sample({}, row, 0.8 + 1e-5).id, 3);
  EXPECT_EQ(Sample({}, row, kAlmostOne).id, 3);
}

TEST(RowSampler, TheLastTokenThatWeighsAnythingIsTheLastDrawn) {
  std::vector<float> row(1000, -1e4f);
  row[3] = 1.0f;
  row[700] = 0.5f;
  EXPECT_EQ(Sample({}, row, kAlmostOne).id, 700);
}

TEST(RowSampler, TiesAtTheCutGoToLowerIds) {
  std::vector<float> row(100, 2.0f);  // each has 1 %
  row[0] = -30.0f;
  std::map<int32_t, double> seen;
  RowSampler sampler({.top_p = 0.1 - 1e-9}, row.size());
  for (int i = 0; i < 100; ++i) {
    const SampledToken token = sampler.Sample(row, 2.0f, i / 100.0);
    seen[token.id] = token.probability;
  }
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(seen.begin()->first, 1);
  EXPECT_EQ(seen.rbegin()->first, 10);
  EXPECT_NEAR(seen[10], 0.1, 1e-12);
}

TEST(RowSampler, TheStricterFilterCuts) {
  std::vector<float> row(200);
  for (size_t i = 0; i < row.size(); ++i) row[i] = -0.25f * static_cast<float>(i);
  // e^-0.25 to the power of i: 0.5 keeps the first three, 0.3 the first five.
  for (const double temperature : {0.3, 0.7, 1.0, 2.5}) {
    const auto last = [&](double top_p, double min_p) {
      return Sample({temperature, top_p, min_p}, row, kAlmostOne).id;
    };
    EXPECT_EQ(last(0.5, 0.0), 2);
    EXPECT_EQ(last(0.5, 0.3), 2);
    EXPECT_EQ(last(0.9, 0.3), 4);
    EXPECT_EQ(last(1.0, 0.3), 4);
  }
}

TEST(RowSampler, ProbabilitiesAreThoseOfExactWeights) {
  Random random(4);
  std::vector<float> row(3000);
  for (float& logit : row) logit = static_cast<float>(20 * random.NextUnit());
  const float largest = Summarize(row).largest;
  for (const double temperature : {0.2, 0.6, 1.0, 4.0}) {
    double total = 0;
    for (const float logit : row) total += std::exp((logit - largest) / temperature);
    RowSampler sampler({.temperature = temperature}, row.size());
    for (int i = 0; i < 50; ++i) {
      const SampledToken token = sampler.Sample(row, largest, random.NextUnit());
      const double exact = std::exp((row[token.id] - largest) / temperature) / total;
      EXPECT_NEAR(token.probability, exact, 2e-5 * exact);
    }
  }
}

TEST(RowSampler, OneCountServesFilterAndDrawFromHalfOn) {
  for (const double temperature : {0.5, 0.6, 1.0, 3.0}) {
    const RowScales scales = ScalesFor({.temperature = temperature, .top_p = 0.9});
    EXPECT_EQ(scales.filter_octaves, scales.draw_octaves);
    EXPECT_LE(scales.filter_halvings, 1.0);
    EXPECT_LE(scales.draw_halvings, 1.0);
    EXPECT_DOUBLE_EQ(scales.draw_halvings / scales.filter_halvings, 1 / temperature);
  }
  const RowScales cold = ScalesFor({.temperature = 0.4, .top_p = 0.9});
  EXPECT_EQ(cold.filter_octaves, OctavesPerLogit(1.0));
  EXPECT_EQ(cold.draw_octaves, OctavesPerLogit(0.4));
}

TEST(RowSampler, BitsAreTheSameEverywhere) {
  // Folded over the bits of many results: any platform that rounds one differently shows here.
  Random random(7);
  uint64_t fold = 0;
  for (const RowFilters& filters :
       {RowFilters{0.6, 0.95, 0.0}, RowFilters{0.3, 0.8, 0.0}, RowFilters{1.7, 0.99, 0.001},
        RowFilters{0.9, 1.0, 0.01}, RowFilters{1.0, 1.0, 0.0}}) {
    RowSampler sampler(filters, 2000);
    for (int i = 0; i < 50; ++i) {
      std::vector<float> row(2000);
      for (float& logit : row) logit = static_cast<float>(16 * random.NextUnit());
      const SampledToken token = sampler.Sample(row, Summarize(row).largest, random.NextUnit());
      fold = std::rotl(fold, 1) ^ std::bit_cast<uint64_t>(token.probability) ^
             (static_cast<uint64_t>(token.id) << 52);
    }
  }
  EXPECT_EQ(fold, 4597629790230860614u);
}

}  // namespace
}  // namespace infer
