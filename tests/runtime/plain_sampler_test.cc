// SPDX-License-Identifier: Apache-2.0
//
// The sampler takes short cuts that must not change a bit of what it chooses: compared here, on
// rows of every kind that made a difference or could, with a sampler that takes none.
#include "tests/runtime/plain_sampler.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace infer {
namespace {

constexpr float kMasked = std::numeric_limits<float>::infinity();

// Roughly normal: the sum of four uniform numbers, scaled to a deviation of 1.
float Normal(Random& random) {
  double sum = -2;
  for (int i = 0; i < 4; ++i) sum += random.NextUnit();
  return static_cast<float>(sum * std::sqrt(3.0));
}

struct RowKind {
  std::string name;
  std::function<float(Random&)> logit;
};

std::vector<RowKind> RowKinds() {
  const auto normal = [](float spread) {
    return [spread](Random& random) { return spread * Normal(random); };
  };
  return {
      {"flat", normal(0.05f)},
      {"narrow", normal(1.0f)},
      {"model", normal(3.0f)},
      {"wide", normal(20.0f)},
      {"all equal", [](Random&) { return -3.25f; }},
      {"two values", [](Random& random) { return random.Next() % 2 == 0 ? 1.0f : 0.5f; }},
      {"ties", [](Random& random) { return static_cast<float>(random.Next() % 33) / 4 - 4; }},
      {"zeros of both signs", [](Random& random) { return random.Next() % 2 == 0 ? 0.0f : -0.0f; }},
      {"one far ahead", [](Random& random) { return random.Next() % 100 == 0 ? 40.0f : 0.0f; }},
      {"many excluded",
       [](Random& random) { return random.Next() % 8 == 0 ? 2 * Normal(random) : -kMasked; }},
      {"subnormal tail",
       [](Random& random) {
         return random.Next() % 16 == 0 ? Normal(random) : -700 - 30 * Normal(random);
       }},
      {"huge", [](Random& random) { return 9e37f * Normal(random); }},
      {"tiny", [](Random& random) { return 1e-41f * Normal(random); }},
  };
}

std::vector<float> MakeRow(const RowKind& kind, Random& random, size_t count) {
  std::vector<float> row(count);
  for (float& logit : row) logit = kind.logit(random);
  row[random.Next() % count] = kind.logit(random) + 0.5f;
  if (row[0] == -kMasked) row[0] = 0.0f;  // never all of them
  return row;
}

void ExpectSameAsPlain(const SamplerOptions& options, size_t count, int rounds) {
  Random random(options.seed + 1);
  for (const RowKind& kind : RowKinds()) {
    SCOPED_TRACE(kind.name);
    absl::StatusOr<Sampler> sampler = Sampler::Create(options, static_cast<int32_t>(count));
    ASSERT_TRUE(sampler.ok());
    Random draws(options.seed);
    for (int round = 0; round < rounds; ++round) {
      const std::vector<float> row = MakeRow(kind, random, count);
      const SampledToken expected = SamplePlainly(options, row, draws);
      const absl::StatusOr<SampledToken> token = sampler->Sample(row);
      ASSERT_TRUE(token.ok()) << token.status();
      ASSERT_EQ(token->id, expected.id) << "round " << round;
      ASSERT_EQ(std::bit_cast<uint64_t>(token->probability),
                std::bit_cast<uint64_t>(expected.probability))
          << "round " << round;
    }
  }
}

TEST(PlainSampler, TopPIsTheSameToTheBit) {
  uint64_t seed = 0;
  for (const double top_p : {1e-9, 0.1, 0.5, 0.8, 0.95, 0.99, 0.9999, 1 - 1e-9, 1 - 1e-16}) {
    for (const double temperature : {0.3, 0.6, 1.0, 3.0}) {
      ExpectSameAsPlain({.temperature = temperature, .top_k = 0, .top_p = top_p, .seed = ++seed},
                        1500, 6);
    }
  }
}

TEST(PlainSampler, MinPIsTheSameToTheBit) {
  uint64_t seed = 100;
  for (const double min_p : {1e-300, 1e-9, 0.01, 0.05, 0.5, std::exp(-0.25), 1 - 1e-15}) {
    for (const double top_p : {0.9, 1.0}) {
      for (const double temperature : {0.2, 0.7, 2.0}) {
        ExpectSameAsPlain({.temperature = temperature,
                           .top_k = 0,
                           .top_p = top_p,
                           .min_p = min_p,
                           .seed = ++seed},
                          1500, 5);
      }
    }
  }
}

TEST(PlainSampler, TemperatureAloneIsTheSameToTheBit) {
  uint64_t seed = 200;
  for (const double temperature : {1e-300, 0.05, 0.6, 1.0, 1.7, 1e30}) {
    ExpectSameAsPlain({.temperature = temperature, .top_k = 0, .top_p = 1, .seed = ++seed}, 1500,
                      10);
  }
}

TEST(PlainSampler, TopKIsTheSameToTheBit) {
  uint64_t seed = 300;
  for (const int32_t top_k : {1, 20, 600, 1500, 5000}) {
    for (const double min_p : {0.0, 0.02}) {
      ExpectSameAsPlain(
          {.temperature = 0.6, .top_k = top_k, .top_p = 0.95, .min_p = min_p, .seed = ++seed}, 1500,
          6);
    }
  }
}

TEST(PlainSampler, SmallVocabulariesAreTheSameToTheBit) {
  for (size_t count = 1; count < 40; ++count) {
    ExpectSameAsPlain({.top_k = 0, .top_p = 0.9, .seed = count}, count, 8);
    ExpectSameAsPlain({.top_k = 0, .top_p = 1, .seed = count}, count, 8);
  }
}

TEST(PlainSampler, AWholeVocabularyIsTheSameToTheBit) {
  ExpectSameAsPlain({.temperature = 0.6, .top_k = 0, .top_p = 0.95, .seed = 1}, 151936, 1);
  ExpectSameAsPlain({.temperature = 0.6, .top_k = 0, .top_p = 1, .seed = 2}, 151936, 1);
}

}  // namespace
}  // namespace infer
