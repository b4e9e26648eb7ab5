// SPDX-License-Identifier: Apache-2.0
#include "tools/api/embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ir/base/strings.h"
#include "tests/model/loaded_model.h"
#include "tools/api/load_session.h"

namespace infer {
namespace {

using test::LoadedModel;
using ::testing::HasSubstr;
using Vectors = std::vector<std::vector<float>>;

const LoadedModel& Model() {
  static const auto* model = new LoadedModel("random_untied.gguf");
  return *model;
}

std::vector<int32_t> Text(int tokens, int seed) {
  std::vector<int32_t> ids(static_cast<size_t>(tokens));
  for (int i = 0; i < tokens; ++i) ids[i] = (seed * 131 + i * 37) % 765;
  return ids;
}

struct Setting {
  Pooling pooling = Pooling::kLast;
  int64_t sequences = 1;
  int64_t chunk = 16;
  std::string policy = "reference";
};

std::unique_ptr<Embedder> NewEmbedder(const Setting& setting) {
  CompileModelOptions options;
  options.policy = setting.policy;
  options.context = 64;
  options.chunk = setting.chunk;
  options.activations = Policy::Activations::kFloat;
  options.kv_type = DType::kF32;
  Program program = Model().Compile(ForEmbedding(options, setting.pooling, setting.sequences));
  const EngineOptions engine = EmbeddingEngine(program);
  auto loaded = LoadEngine(std::move(program), Model().file(), Model().registry(), engine, {});
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return std::make_unique<Embedder>(*std::move(loaded), setting.pooling);
}

Vectors Embedded(Embedder& embedder, const std::vector<std::vector<int32_t>>& texts) {
  Vectors vectors;
  const absl::Status status =
      embedder.Embed(texts, [&](size_t text, std::span<const float> vector) {
        EXPECT_EQ(text, vectors.size());
        vectors.emplace_back(vector.begin(), vector.end());
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return vectors;
}

// The normed vectors of all tokens, by the way that evaluations take.
std::vector<std::vector<float>> TokenVectors(const std::vector<int32_t>& ids) {
  CompileModelOptions options;
  options.policy = "reference";
  options.logit_rows = 64;
  options.extra_results = {"output/norm"};
  auto session = Model().NewSession(options);
  EXPECT_TRUE(session->RunWithAllLogits(ids).ok());
  const std::span<const float> all = session->extra_result(0);
  const size_t hidden = all.size() / ids.size();
  std::vector<std::vector<float>> rows;
  for (size_t i = 0; i < ids.size(); ++i) {
    rows.emplace_back(all.begin() + i * hidden, all.begin() + (i + 1) * hidden);
  }
  return rows;
}

void ExpectNear(const std::vector<float>& found, const std::vector<float>& expected, float bound) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], bound) << i;
}

// Texts of one token, of less than a call, of a call, of several.
const std::vector<std::vector<int32_t>>& Texts() {
  static const std::vector<std::vector<int32_t>> texts = {Text(1, 1),  Text(7, 2),  Text(16, 3),
                                                          Text(17, 4), Text(50, 5), Text(3, 6)};
  return texts;
}

class Poolings : public ::testing::TestWithParam<Pooling> {};

TEST_P(Poolings, AreTakenFromTheVectorsOfTheTokens) {
  auto embedder = NewEmbedder({.pooling = GetParam()});
  const Vectors found = Embedded(*embedder, Texts());
  ASSERT_EQ(found.size(), Texts().size());
  for (size_t text = 0; text < found.size(); ++text) {
    const std::vector<std::vector<float>> rows = TokenVectors(Texts()[text]);
    std::vector<float> expected = GetParam() == Pooling::kCls ? rows.front() : rows.back();
    if (GetParam() == Pooling::kMean) {
      for (size_t i = 0; i < expected.size(); ++i) {
        double sum = 0;
        for (const std::vector<float>& row : rows) sum += row[i];
        expected[i] = static_cast<float>(sum / static_cast<double>(rows.size()));
      }
    }
    ExpectNear(found[text], expected, 1e-5f);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Poolings,
                         ::testing::Values(Pooling::kLast, Pooling::kMean, Pooling::kCls,
                                           Pooling::kRank));

TEST(Embedder, GivesTheSameToTextsThatShareCalls) {
  auto alone = NewEmbedder({.policy = "simd"});
  const Vectors expected = Embedded(*alone, Texts());
  for (int64_t sequences : {2, 3, 8}) {
    auto together = NewEmbedder({.sequences = sequences, .chunk = 40, .policy = "simd"});
    const Vectors found = Embedded(*together, Texts());
    for (size_t i = 0; i < found.size(); ++i) ExpectNear(found[i], expected[i], 1e-4f);
  }
}

TEST(Embedder, CanBeUsedAgain) {
  auto embedder = NewEmbedder({.sequences = 3, .policy = "simd"});
  const Vectors first = Embedded(*embedder, Texts());
  EXPECT_EQ(Embedded(*embedder, Texts()), first);
  EXPECT_TRUE(Embedded(*embedder, {}).empty());
}

TEST(Embedder, RefusesTextsThatDoNotFit) {
  auto embedder = NewEmbedder({});
  auto error = [&](std::vector<std::vector<int32_t>> texts) {
    return std::string(
        embedder->Embed(texts, [](size_t, std::span<const float>) { return absl::OkStatus(); })
            .message());
  };
  EXPECT_THAT(error({Text(3, 1), {}}), HasSubstr("text 1 is empty"));
  EXPECT_THAT(error({Text(65, 1)}), HasSubstr("text 0 has 65 tokens, the context has 64"));
}

TEST(Embedder, EndsWithTheErrorOfItsCaller) {
  auto embedder = NewEmbedder({.sequences = 3, .policy = "simd"});
  int calls = 0;
  const absl::Status status = embedder->Embed(Texts(), [&](size_t, std::span<const float>) {
    return ++calls == 2 ? absl::DataLossError("full") : absl::OkStatus();
  });
  EXPECT_EQ(status, absl::DataLossError("full"));
  EXPECT_EQ(Embedded(*embedder, Texts()).size(), Texts().size()) << "and can be used again";
}

}  // namespace
}  // namespace infer
