// SPDX-License-Identifier: Apache-2.0
#include "runtime/weight_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/logit_row.h"
#include "runtime/random.h"

namespace infer {
namespace {

constexpr float kInfiniteWeight = std::numeric_limits<float>::infinity();
constexpr uint32_t kOctave = kBucketsPerOctave * kBucketDistances;
constexpr uint32_t kNowhere = kBuckets * kBucketDistances;

TEST(WeightHistogram, DistancesCountOctaves) {
  EXPECT_EQ(DistanceBelow(3.0f, 3.0f, 1.0f), 0u);
  EXPECT_EQ(DistanceBelow(3.0f, 1.5f, 2.0f), 3 * kOctave);
  EXPECT_EQ(DistanceBelow(0.0f, -1.0f, 1.0f / kOctave), 1u);
  EXPECT_EQ(DistanceBelow(0.0f, -62.5f, 1.0f), 62 * kOctave + kOctave / 2);
  EXPECT_EQ(DistanceBelow(0.0f, -63.0f, 1.0f), kNowhere);
  EXPECT_EQ(DistanceBelow(0.0f, -1e30f, 1.0f), kNowhere);
}

TEST(WeightHistogram, ExtremesAreNearOrFarAndNeverElsewhere) {
  EXPECT_EQ(DistanceBelow(0.0f, -kInfiniteWeight, OctavesPerLogit(1.0)), kNowhere);
  EXPECT_EQ(DistanceBelow(3e38f, -3e38f, OctavesPerLogit(1.0)), kNowhere);
  EXPECT_EQ(DistanceBelow(0.0f, -1.0f, OctavesPerLogit(1e-300)), kNowhere);
  EXPECT_EQ(DistanceBelow(0.0f, 0.0f, OctavesPerLogit(1e-320)), 0u);
  EXPECT_EQ(DistanceBelow(0.0f, -1e38f, OctavesPerLogit(1e300)), 0u);
  EXPECT_EQ(DistanceBelow(0.0f, -kInfiniteWeight, OctavesPerLogit(1e300)),
            kNowhere);  // 0 times inf
}

TEST(WeightHistogram, WeightsAreWithinFiveMillionthsAndFall) {
  const WeightCurve curve(1.0);
  EXPECT_EQ(curve.Of(0), 1.0);
  EXPECT_EQ(curve.Of(kNowhere), 0.0);
  double above = 1.0;
  for (uint32_t distance = 1; distance < kNowhere; ++distance) {
    const double weight = curve.Of(distance);
    ASSERT_LT(weight, above) << distance;
    above = weight;
    if (distance % 97 != 0) continue;
    const double exact = std::exp2(-static_cast<double>(distance) / kOctave);
    ASSERT_NEAR(weight, exact, 5e-6 * exact) << distance;
  }
}

TEST(WeightHistogram, ACurveFallsAsFastAsItIsTold) {
  for (const double halvings : {0.01, 0.5, 0.7}) {
    const WeightCurve curve(halvings);
    for (uint32_t distance = 0; distance < kNowhere; distance += 12345) {
      const double exact = std::exp2(-halvings * distance / kOctave);
      ASSERT_NEAR(curve.Of(distance), exact, 5e-6 * exact) << distance;
    }
  }
}

std::vector<float> RandomRow(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> row(count);
  for (float& logit : row) logit = static_cast<float>(-60 * random.NextUnit() * random.NextUnit());
  return row;
}

// Token by token, with the function that says where one belongs.
std::vector<BucketTokens> CountPlainly(const std::vector<float>& row, float octaves_per_logit,
                                       float threshold) {
  std::vector<BucketTokens> buckets(kBuckets + 1);
  for (const float logit : row) {
    if (logit < threshold) continue;
    const uint32_t distance = DistanceBelow(0.0f, logit, octaves_per_logit);
    buckets[distance / kBucketDistances].Add(distance);
  }
  return buckets;
}

void ExpectCounts(const WeightHistogram& histogram, const std::vector<BucketTokens>& expected) {
  for (uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
    ASSERT_EQ(histogram.At(bucket).count, expected[bucket].count) << bucket;
    ASSERT_EQ(histogram.At(bucket).offsets, expected[bucket].offsets) << bucket;
    ASSERT_TRUE(bucket < histogram.end() || expected[bucket].count == 0) << bucket;
  }
}

TEST(WeightHistogram, CountsWhatIsNotBelowTheThreshold) {
  WeightHistogram histogram;
  for (const size_t count : {0, 1, 7, 16, 511, 512, 1033, 5000}) {
    for (const float threshold : {kExcludedLogit, -40.0f, -0.5f, 1.0f}) {
      for (const double temperature : {0.6, 1.0, 30.0}) {
        std::vector<float> row = RandomRow(count, count + 1);
        if (count > 5) row[5] = -kInfiniteWeight;
        const float octaves = OctavesPerLogit(temperature);
        histogram.Clear();
        histogram.Add(row, 0.0f, octaves, threshold);
        ExpectCounts(histogram, CountPlainly(row, octaves, threshold));
      }
    }
  }
}

TEST(WeightHistogram, PartsAddUp) {
  const std::vector<float> row = RandomRow(3000, 2);
  WeightHistogram histogram;
  histogram.Add(std::span(row).first(301), 0.0f, 1.0f, kExcludedLogit);
  histogram.Add(std::span(row).subspan(301, 1700), 0.0f, 1.0f, kExcludedLogit);
  histogram.Add(std::span(row).subspan(2001), 0.0f, 1.0f, kExcludedLogit);
  ExpectCounts(histogram, CountPlainly(row, 1.0f, kExcludedLogit));
}

TEST(WeightHistogram, ABucketHoldsMillions) {
  // All in one bucket and at its end: sums that no other row exceeds.
  const std::vector<float> row(3000000, -1023.0f / kOctave);
  WeightHistogram histogram;
  histogram.Add(row, 0.0f, 1.0f, kExcludedLogit);
  EXPECT_EQ(histogram.At(0).count, 3000000u);
  EXPECT_EQ(histogram.At(0).offsets, 3000000u * 1023);
}

TEST(WeightHistogram, TruncateEndsItWithinABucket) {
  const std::vector<float> row = RandomRow(1000, 3);
  WeightHistogram histogram;
  histogram.Add(row, 0.0f, 1.0f, kExcludedLogit);
  histogram.Truncate(200, {2, 77});
  std::vector<BucketTokens> expected = CountPlainly(row, 1.0f, kExcludedLogit);
  expected.resize(200);
  expected.push_back({2, 77});
  expected.resize(kBuckets + 1);
  ExpectCounts(histogram, expected);
  EXPECT_EQ(histogram.end(), 201u);
}

TEST(WeightHistogram, ItsEndMovesWithWhatIsCounted) {
  WeightHistogram histogram;
  EXPECT_EQ(histogram.end(), 0u);
  const std::vector<float> row = {0.0f, -20.25f, -1e9f};
  histogram.Add(row, 0.0f, 1.0f, kExcludedLogit);
  EXPECT_GT(histogram.end(), 20 * kBucketsPerOctave);
  EXPECT_LT(histogram.end(), 22 * kBucketsPerOctave);
  histogram.Clear();
  EXPECT_EQ(histogram.end(), 0u);
  histogram.Add(std::span(row).first(1), 0.0f, 1.0f, kExcludedLogit);
  ExpectCounts(histogram, CountPlainly({0.0f}, 1.0f, kExcludedLogit));
}

}  // namespace
}  // namespace infer
