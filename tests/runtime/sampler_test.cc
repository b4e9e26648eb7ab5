// SPDX-License-Identifier: Apache-2.0
#include "runtime/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/random.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

SamplerOptions KeepAll() { return {.temperature = 1.0, .top_k = 0, .top_p = 1.0, .min_p = 0.0}; }

SamplerOptions Greedy() {
  SamplerOptions options;
  options.temperature = 0;
  return options;
}

Sampler Make(const SamplerOptions& options, size_t vocabulary_tokens) {
  absl::StatusOr<Sampler> sampler =
      Sampler::Create(options, static_cast<int32_t>(vocabulary_tokens));
  EXPECT_TRUE(sampler.ok()) << sampler.status();
  return *std::move(sampler);
}

SampledToken Sample(Sampler& sampler, const std::vector<float>& logits) {
  const absl::StatusOr<SampledToken> token = sampler.Sample(logits);
  EXPECT_TRUE(token.ok()) << token.status();
  return token.ok() ? *token : SampledToken{-1, -1.0};
}

// Steps of 1/4 between -8 and 8: exact, and with many ties.
std::vector<float> CoarseLogits(Random& random, size_t count) {
  std::vector<float> logits(count);
  for (float& logit : logits) logit = static_cast<float>(random.Next() % 65) / 4.0f - 8.0f;
  return logits;
}

// The stages said plainly: sort everything, then cut.
std::map<int32_t, double> NaiveDistribution(const SamplerOptions& options,
                                            const std::vector<float>& logits) {
  std::vector<int32_t> ids(logits.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
  std::sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  if (options.top_k > 0 && static_cast<size_t>(options.top_k) < ids.size()) {
    ids.resize(options.top_k);
  }
  const auto probabilities = [&](double temperature) {
    std::vector<double> result;
    double total = 0;
    for (const int32_t id : ids) {
      result.push_back(std::exp((logits[id] - double{logits[ids[0]]}) / temperature));
      total += result.back();
    }
    for (double& p : result) p /= total;
    return result;
  };
  if (options.top_p < 1) {
    const std::vector<double> p = probabilities(1.0);
    double sum = 0;
    size_t kept = 0;
    while (kept < ids.size() && sum < options.top_p) sum += p[kept++];
    ids.resize(kept);
  }
  if (options.min_p > 0) {
    const std::vector<double> p = probabilities(1.0);
    while (p[ids.size() - 1] < options.min_p * p[0]) ids.pop_back();
  }
  std::map<int32_t, double> distribution;
  const std::vector<double> p = probabilities(options.temperature);
  for (size_t i = 0; i < ids.size(); ++i) distribution[ids[i]] = p[i];
  return distribution;
}

// Draws often and holds every draw against the naive distribution. The probability of a draw fixes
// the sum over all tokens kept, and so which were kept.
void ExpectSameAsNaive(SamplerOptions options, uint64_t seed) {
  Random random(seed);
  for (int round = 0; round < 50; ++round) {
    const std::vector<float> logits = CoarseLogits(random, 300);
    options.seed = random.Next();
    const std::map<int32_t, double> expected = NaiveDistribution(options, logits);
    Sampler sampler = Make(options, logits.size());
    const bool top_k = options.top_k > 0 && options.top_k < std::ssize(logits);
    for (int draw = 0; draw < 20; ++draw) {
      const SampledToken token = Sample(sampler, logits);
      ASSERT_TRUE(expected.contains(token.id)) << token.id;
      const double p = expected.at(token.id);
      ASSERT_NEAR(token.probability, p, top_k ? 1e-12 : 1e-5 * p);
    }
  }
}

TEST(Sampler, GreedyTakesTheLargestAndTheLowestIdOfEquals) {
  Sampler sampler = Make(Greedy(), 5);
  const SampledToken token = Sample(sampler, {1.0f, 3.0f, 2.0f, 3.0f, -1.0f});
  EXPECT_EQ(token.id, 1);
  EXPECT_EQ(token.probability, 1.0);
}

TEST(Sampler, TemperatureAloneIsSoftmax) {
  for (const double temperature : {0.3, 0.6, 1.0, 1.7}) {
    SamplerOptions options = KeepAll();
    options.temperature = temperature;
    ExpectSameAsNaive(options, 1);
  }
}

TEST(Sampler, TopKKeepsTheFirstK) {
  for (const int32_t k : {1, 2, 7, 20, 299, 300, 1000}) {
    SamplerOptions options = KeepAll();
    options.top_k = k;
    ExpectSameAsNaive(options, 2);
  }
}

TEST(Sampler, TopPKeepsUntilTheSumIsReached) {
  for (const double p : {1e-9, 0.1, 0.5, 0.9, 0.95, 0.9999}) {
    SamplerOptions options = KeepAll();
    options.top_p = p;
    ExpectSameAsNaive(options, 3);
  }
}

TEST(Sampler, MinPKeepsWhatIsNotTooFarBelowTheBest) {
  for (const double p : {0.001, 0.05, 0.3, 0.99}) {
    SamplerOptions options = KeepAll();
    options.min_p = p;
    ExpectSameAsNaive(options, 4);
  }
}

TEST(Sampler, AllFiltersTogetherRunInTheStatedOrder) {
  ExpectSameAsNaive({.temperature = 0.6, .top_k = 20, .top_p = 0.95, .min_p = 0.02}, 5);
  // A high temperature before top-p would let in tokens that it keeps out after.
  ExpectSameAsNaive({.temperature = 5.0, .top_k = 0, .top_p = 0.8, .min_p = 0.1}, 6);
}

TEST(Sampler, TopKOfALargeVocabularyIsTheSortedOne) {
  // Ascending logits make every token a new best: the buffer fills and is cut again and again.
  std::vector<float> logits(151936);
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i / 3);
  SamplerOptions options = KeepAll();
  options.top_k = 20;
  options.temperature = 1e6;
  Sampler sampler = Make(options, logits.size());
  std::map<int32_t, int> seen;
  for (int i = 0; i < 200; ++i) ++seen[Sample(sampler, logits).id];
  EXPECT_EQ(seen.size(), 20u);
  // 151935 stands alone, then come six groups of three equals, then the edge goes through a group:
  // its lowest id stays.
  EXPECT_EQ(seen.rbegin()->first, 151935);
  EXPECT_EQ(seen.begin()->first, 151914);
  EXPECT_FALSE(seen.contains(151915));
}

TEST(Sampler, TiesAtTheEdgeOfTopKGoToLowerIds) {
  const std::vector<float> logits = {0, 2, 1, 1, 1, 2, 1};
  SamplerOptions options = KeepAll();
  options.top_k = 4;
  Sampler sampler = Make(options, logits.size());
  std::map<int32_t, int> seen;
  for (int i = 0; i < 500; ++i) ++seen[Sample(sampler, logits).id];
  std::vector<int32_t> ids;
  for (const auto& [id, count] : seen) ids.push_back(id);
  EXPECT_THAT(ids, ElementsAre(1, 2, 3, 5));
}

TEST(Sampler, DrawsFollowTheDistribution) {
  constexpr int kDraws = 20000;
  std::vector<float> logits(10);
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = 0.3f * static_cast<float>(i);
  for (const double top_p : {1.0, 0.9999999}) {  // with and without a cut
    for (uint64_t seed = 0; seed < 5; ++seed) {
      SamplerOptions options = KeepAll();
      options.top_p = top_p;
      options.seed = seed;
      Sampler sampler = Make(options, logits.size());
      std::vector<int> counts(logits.size());
      for (int i = 0; i < kDraws; ++i) ++counts[Sample(sampler, logits).id];
      double chi_square = 0;
      for (const auto& [id, p] : NaiveDistribution(options, logits)) {
        const double expected = p * kDraws;
        chi_square += (counts[id] - expected) * (counts[id] - expected) / expected;
      }
      EXPECT_LT(chi_square, 27.9);  // 9 degrees of freedom, one in a thousand
    }
  }
}

TEST(Sampler, TheSameSeedGivesTheSameTokens) {
  const auto draw = [](uint64_t seed) {
    SamplerOptions options = KeepAll();
    options.seed = seed;
    Random random(9);
    Sampler sampler = Make(options, 100);
    std::vector<int32_t> ids;
    for (int i = 0; i < 30; ++i) ids.push_back(Sample(sampler, CoarseLogits(random, 100)).id);
    return ids;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(Sampler, TokensOfASeedNeverChange) {
  // Made by an independent program in another language from the description in sampler.h.
  SamplerOptions options;  // the defaults: 0.6, 20, 0.95
  options.seed = 42;
  options.repeat_penalty = 1.3;
  options.presence_penalty = 0.5;
  options.repeat_last_n = 4;
  Random random(2026);
  Sampler sampler = Make(options, 64);
  std::vector<int32_t> ids;
  for (int i = 0; i < 24; ++i) {
    ids.push_back(Sample(sampler, CoarseLogits(random, 64)).id);
    sampler.Accept(ids.back());
  }
  EXPECT_THAT(ids, ElementsAre(26, 58, 15, 25, 7, 14, 6, 57, 28, 10, 59, 60, 1, 45, 15, 14, 10, 31,
                               56, 48, 54, 3, 17, 41));
}

TEST(Sampler, RepetitionPenaltyActsOnceAndTowardsLess) {
  SamplerOptions options = KeepAll();
  options.temperature = 0;
  options.repeat_penalty = 2.0;
  Sampler sampler = Make(options, 3);
  EXPECT_EQ(Sample(sampler, {3.0f, 1.8f, 1.0f}).id, 0);
  sampler.Accept(0);
  sampler.Accept(0);
  EXPECT_EQ(Sample(sampler, {3.0f, 1.8f, 1.0f}).id, 1);     // 1.5 < 1.8: halved once
  EXPECT_EQ(Sample(sampler, {4.0f, 1.8f, 1.0f}).id, 0);     // 2.0 > 1.8: and not twice
  EXPECT_EQ(Sample(sampler, {-1.0f, -1.9f, -5.0f}).id, 1);  // doubled downwards
}

TEST(Sampler, PresencePenaltyIsSubtractedOnce) {
  SamplerOptions options = Greedy();
  options.presence_penalty = 1.0;
  Sampler sampler = Make(options, 2);
  for (int i = 0; i < 5; ++i) sampler.Accept(0);
  EXPECT_EQ(Sample(sampler, {2.0f, 1.5f}).id, 1);
  EXPECT_EQ(Sample(sampler, {2.0f, 0.5f}).id, 0);
}

TEST(Sampler, FrequencyPenaltyCountsOccurrences) {
  SamplerOptions options = Greedy();
  options.frequency_penalty = 0.75;
  Sampler sampler = Make(options, 3);
  const std::vector<float> logits = {3.0f, 1.0f, 1.7f};
  sampler.Accept(0);
  EXPECT_EQ(Sample(sampler, logits).id, 0);  // 2.25
  sampler.Accept(0);
  EXPECT_EQ(Sample(sampler, logits).id, 2);  // 1.5
  sampler.Accept(2);
  EXPECT_EQ(Sample(sampler, logits).id, 0);  // 2 at 0.95
}

TEST(Sampler, LogitBiasComesBeforeThePenalties) {
  SamplerOptions options = Greedy();
  options.logit_bias = {{0, -2.0f}, {1, 4.0f}, {1, 1.0f}};
  Sampler biased = Make(options, 3);
  const std::vector<float> logits = {3.0f, -2.0f, 1.7f};
  EXPECT_EQ(Sample(biased, logits).id, 1);  // 1, 3, 1.7
  // 3 / 2 is below 1.7; a bias after the penalty would leave -2 * 2 + 5 = 1.
  options.repeat_penalty = 2;
  options.logit_bias = {{1, 5.5f}, {0, -3.0f}};
  Sampler both = Make(options, 3);
  both.Accept(1);
  EXPECT_EQ(Sample(both, logits).id, 1);  // 0, 3.5 / 2 = 1.75, 1.7; -2 * 2 + 5.5 = 1.5 otherwise
}

TEST(Sampler, LogitBiasBansAndKeepsExcludedOnesExcluded) {
  SamplerOptions options = KeepAll();
  options.logit_bias = {{0, -1e30f}, {2, 1e30f}};
  Sampler sampler = Make(options, 3);
  const float inf = std::numeric_limits<float>::infinity();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Sample(sampler, {9.0f, 0.0f, -inf}).id, 1);
}

TEST(Sampler, RefusesBiasesThatMakeNoSense) {
  SamplerOptions options = Greedy();
  options.logit_bias = {{3, 1.0f}};
  EXPECT_EQ(Sampler::Create(options, 3).status().code(), absl::StatusCode::kInvalidArgument);
  options.logit_bias = {{0, std::numeric_limits<float>::infinity()}};
  EXPECT_EQ(Validate(options).code(), absl::StatusCode::kInvalidArgument);
  options.logit_bias.assign(kMaxLogitBiases + 1, {0, 1.0f});
  EXPECT_EQ(Validate(options).code(), absl::StatusCode::kInvalidArgument);
  options.logit_bias.clear();
  options.frequency_penalty = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Validate(options).code(), absl::StatusCode::kInvalidArgument);
}

TEST(Sampler, PenaltiesForgetWhatLeftTheWindow) {
  SamplerOptions options = Greedy();
  options.presence_penalty = 1.0;
  options.repeat_last_n = 3;
  Sampler sampler = Make(options, 4);
  sampler.Accept(0);
  sampler.Accept(3);
  sampler.Accept(3);
  EXPECT_EQ(Sample(sampler, {2.0f, 1.5f, 0, 0}).id, 1);
  sampler.Accept(3);
  EXPECT_EQ(Sample(sampler, {2.0f, 1.5f, 0, 0}).id, 0);
  for (int i = 0; i < 10; ++i) sampler.Accept(i % 2 == 0 ? -7 : 4000000);  // not in the vocabulary
  EXPECT_EQ(Sample(sampler, {2.0f, 1.5f, 0, 2.5f}).id, 3);
}

TEST(Sampler, ExtremePenaltiesStayFinite) {
  SamplerOptions options = KeepAll();
  options.repeat_penalty = 1e300;
  options.presence_penalty = -1e300;
  Sampler sampler = Make(options, 2);
  sampler.Accept(0);
  sampler.Accept(1);
  const SampledToken token = Sample(sampler, {-3e38f, 3e38f});
  EXPECT_TRUE(std::isfinite(token.probability));
}

TEST(Sampler, OneTokenLeftIsTaken) {
  std::vector<float> logits(1000, -kInf);
  logits[567] = -1e30f;
  for (const SamplerOptions& options : {Greedy(), KeepAll(), SamplerOptions()}) {
    Sampler sampler = Make(options, logits.size());
    const SampledToken token = Sample(sampler, logits);
    EXPECT_EQ(token.id, 567);
    EXPECT_EQ(token.probability, 1.0);
  }
}

TEST(Sampler, ExtremeTemperaturesAreUniformOrGreedy) {
  SamplerOptions options = KeepAll();
  options.temperature = std::numeric_limits<double>::max();
  Sampler hot = Make(options, 4);
  EXPECT_DOUBLE_EQ(Sample(hot, {1.0f, 2.0f, 3.0f, 3e38f}).probability, 0.25);
  options.temperature = std::numeric_limits<double>::denorm_min();
  Sampler cold = Make(options, 4);
  EXPECT_EQ(Sample(cold, {1.0f, 2.0f, 3.0f, -3e38f}).id, 2);
}

TEST(Sampler, NonFiniteLogitsEndTheRunWithTokenAndStep) {
  for (const SamplerOptions& options : {Greedy(), SamplerOptions()}) {
    for (const float bad : {kNan, -kNan, kInf}) {
      Sampler sampler = Make(options, 30);
      std::vector<float> logits(30, 1.0f);
      Sample(sampler, logits);
      logits[17] = bad;
      const absl::Status status = sampler.Sample(logits).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
      EXPECT_THAT(std::string(status.message()), HasSubstr("non-finite logit"));
      EXPECT_THAT(std::string(status.message()), HasSubstr("token 17 at step 2"));
    }
  }
}

TEST(Sampler, NoTokenLeftIsAnError) {
  for (const SamplerOptions& options : {Greedy(), KeepAll(), SamplerOptions()}) {
    Sampler sampler = Make(options, 30);
    const absl::Status status = sampler.Sample(std::vector<float>(30, -kInf)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  }
}

TEST(Sampler, AnotherNumberOfLogitsIsAnError) {
  Sampler sampler = Make(Greedy(), 30);
  EXPECT_EQ(sampler.Sample(std::vector<float>(29)).status().code(), absl::StatusCode::kInternal);
  EXPECT_FALSE(Sampler::Create(Greedy(), 0).ok());
}

TEST(Sampler, RowsWithoutATokenAreNeverChosen) {
  SamplerOptions draw;
  draw.temperature = 1;
  for (int32_t top_k : {0, 2, 100}) {
    draw.top_k = top_k;
    for (const SamplerOptions& options : {Greedy(), draw}) {
      Sampler sampler = *Sampler::Create(options, 6, 4);
      for (int i = 0; i < 20; ++i) {
        const auto token = sampler.Sample(std::vector<float>{1, 2, 1, 0, 50, kInf});
        ASSERT_TRUE(token.ok()) << token.status();
        EXPECT_LT(token->id, 4);
      }
    }
  }
  SamplerOptions biased = Greedy();
  biased.logit_bias = {{4, 1.0f}};
  EXPECT_FALSE(Sampler::Create(biased, 6, 4).ok());
  EXPECT_FALSE(Sampler::Create(Greedy(), 4, 6).ok());
}

void ExpectRefused(const SamplerOptions& options, const std::string& flag) {
  const absl::Status status = Validate(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << flag;
  EXPECT_THAT(std::string(status.message()), ::testing::StartsWith(flag + " "));
  EXPECT_EQ(Sampler::Create(options, 10).status(), status);
}

TEST(Sampler, BadOptionsAreRefusedByTheirFlag) {
  EXPECT_TRUE(Validate(SamplerOptions()).ok());
  EXPECT_TRUE(Validate({.temperature = 0, .top_k = 0, .top_p = 1, .min_p = 0.999}).ok());
  for (const double bad : {-0.1, HUGE_VAL, std::nan("")}) {
    ExpectRefused({.temperature = bad}, "temperature");
    ExpectRefused({.top_p = bad}, "top_p");
    ExpectRefused({.min_p = bad}, "min_p");
    ExpectRefused({.repeat_penalty = bad}, "repeat_penalty");
  }
  ExpectRefused({.top_k = -1}, "top_k");
  ExpectRefused({.top_p = 0}, "top_p");
  ExpectRefused({.top_p = 1.0001}, "top_p");
  ExpectRefused({.min_p = 1}, "min_p");
  ExpectRefused({.repeat_penalty = 0}, "repeat_penalty");
  ExpectRefused({.presence_penalty = HUGE_VAL}, "presence_penalty");
  ExpectRefused({.presence_penalty = std::nan("")}, "presence_penalty");
  ExpectRefused({.repeat_last_n = -1}, "repeat_last_n");
  ExpectRefused({.repeat_last_n = (1 << 20) + 1}, "repeat_last_n");
}

// Without top-k weights are right to 1 in 100,000, so that a seed gives the token that exact sums
// give unless its point lies that close to the boundary between two tokens.
TEST(Sampler, DrawsTheTokenThatExactSumsGive) {
  Random random(7);
  int near_boundaries = 0;
  for (const SamplerOptions& base :
       {SamplerOptions{.temperature = 0.8, .top_k = 0, .top_p = 0.95},
        SamplerOptions{.temperature = 1.0, .top_k = 0, .top_p = 1.0},
        SamplerOptions{.temperature = 0.3, .top_k = 0, .top_p = 0.99, .min_p = 0.01}}) {
    for (int round = 0; round < 300; ++round) {
      std::vector<float> logits(2000);
      for (float& logit : logits) logit = static_cast<float>(12 * random.NextUnit());
      SamplerOptions options = base;
      options.seed = random.Next();
      const std::map<int32_t, double> exact = NaiveDistribution(options, logits);
      std::vector<std::pair<int32_t, double>> falling(exact.begin(), exact.end());
      std::ranges::sort(falling, {}, [&](const auto& token) {
        return std::pair(-logits[token.first], token.first);
      });
      const double point = Random(options.seed).NextUnit();
      double sum = 0;
      size_t at = 0;
      while (at + 1 < falling.size() && sum + falling[at].second <= point) {
        sum += falling[at++].second;
      }
      Sampler sampler = Make(options, logits.size());
      const int32_t id = Sample(sampler, logits).id;
      if (id == falling[at].first) continue;
      ++near_boundaries;
      EXPECT_LT(std::min(point - sum, sum + falling[at].second - point), 2e-5) << "round " << round;
    }
  }
  EXPECT_LE(near_boundaries, 30);  // of 900
}

// What a device gives of a row: the first `count` in the sampler's order.
struct TopOfRow {
  TopOfRow(const std::vector<float>& logits, size_t count) {
    ids.resize(logits.size());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
    std::ranges::sort(ids, [&](int32_t a, int32_t b) {
      if (std::isnan(logits[a]) != std::isnan(logits[b])) return std::isnan(logits[a]);
      return logits[a] > logits[b] || (!(logits[a] < logits[b]) && a < b);
    });
    ids.resize(std::min(count, ids.size()));
    for (const int32_t id : ids) values.push_back(logits[id]);
  }
  TopLogits view() const { return {ids, values}; }

  std::vector<int32_t> ids;
  std::vector<float> values;
};

// Allows every third token.
class EveryThird : public TokenConstraint {
 public:
  void Force(int64_t, std::vector<int32_t>*) const override {}
  bool Allows(int32_t token) const override { return token % 3 == 1; }
  void Refuse(std::span<float> logits) const override {
    for (size_t i = 0; i < logits.size(); ++i) {
      if (i % 3 != 1) logits[i] = -kInf;
    }
  }
  void Accept(int32_t) override {}
};

TEST(Sampler, ChoosesTheSameTokensFromTheLargestLogits) {
  const EveryThird every_third;
  for (const SamplerOptions& options :
       {Greedy(), SamplerOptions{.temperature = 0.8, .top_k = 20, .top_p = 0.9, .seed = 3},
        SamplerOptions{.temperature = 1.5, .top_k = 64, .top_p = 1.0, .min_p = 0.02, .seed = 4}}) {
    for (const TokenConstraint* constraint : {static_cast<const TokenConstraint*>(nullptr),
                                              static_cast<const TokenConstraint*>(&every_third)}) {
      Random random(11);
      Sampler whole = *Sampler::Create(options, 500, 480);
      Sampler top = *Sampler::Create(options, 500, 480);
      int decided = 0;
      for (int round = 0; round < 200; ++round) {
        std::vector<float> logits = CoarseLogits(random, 500);
        if (round % 4 == 1) {
          for (size_t i = 0; i < logits.size(); ++i) {
            if (i % 50 != 4) logits[i] = -kInf;  // ten are left
          }
        }
        const absl::StatusOr<SampledToken> expected = whole.Sample(logits, constraint);
        ASSERT_TRUE(expected.ok()) << expected.status();
        std::optional<SampledToken> found = top.SampleTop(TopOfRow(logits, 64).view(), constraint);
        decided += found ? 1 : 0;
        if (!found) found = *top.Sample(logits, constraint);
        EXPECT_EQ(found->id, expected->id) << round;
        EXPECT_EQ(found->probability, expected->probability) << round;
      }
      // A top-k near the number of logits leaves few to spare for refused tokens and padding.
      EXPECT_GE(decided, options.temperature == 0 ? 195 : 45);
    }
  }
}

TEST(Sampler, LooksAtTheWholeRowWhereTheLargestLogitsDoNotTell) {
  const std::vector<float> logits = {1, 5, 4, 3, 2, 6};
  const TopOfRow largest(logits, 3);
  for (SamplerOptions options :
       {KeepAll(), SamplerOptions{.top_k = 4}, SamplerOptions{.repeat_penalty = 1.1},
        SamplerOptions{.logit_bias = {{0, 9.0f}}}}) {
    if (options.top_k == 20) options.top_k = 2;
    Sampler sampler = Make(options, logits.size());
    EXPECT_NE(sampler.WhyWholeRows(3), "");
    EXPECT_EQ(sampler.SampleTop(largest.view()), std::nullopt);
  }
  Sampler greedy = Make(Greedy(), logits.size());
  EXPECT_EQ(greedy.WhyWholeRows(3), "");
  EXPECT_EQ(greedy.SampleTop({}), std::nullopt);
  EXPECT_EQ(greedy.SampleTop(largest.view())->id, 5);
  // Only token 0 may be chosen, which is not among the three largest.
  Sampler padded = *Sampler::Create(Greedy(), 6, 1);
  EXPECT_EQ(padded.SampleTop(largest.view()), std::nullopt);
}

TEST(Sampler, LeavesBadRowsToTheMessageAboutThem) {
  Sampler greedy = Make(Greedy(), 3);
  EXPECT_EQ(greedy.SampleTop(TopOfRow({1, kNan, 2}, 2).view()), std::nullopt);
  EXPECT_EQ(greedy.SampleTop(TopOfRow({1, kInf, 2}, 2).view()), std::nullopt);
  EXPECT_EQ(greedy.SampleTop(TopOfRow({-kInf, -kInf, -kInf}, 2).view()), std::nullopt);
  // A number that belongs to no token is no error.
  Sampler padded = *Sampler::Create(Greedy(), 3, 2);
  EXPECT_EQ(padded.SampleTop(TopOfRow({1, 4, kNan}, 2).view())->id, 1);
}

}  // namespace
}  // namespace infer
