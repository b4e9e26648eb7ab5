// SPDX-License-Identifier: Apache-2.0
//
// What must not change the text of a model: how its prompt is cut, how its cache lies in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "tests/model/loaded_model.h"
#include "tests/model/reference_data.h"

namespace infer {
namespace {

using test::ContinueGreedily;
using test::LoadedModel;
using test::LogitsOf;
using test::ReferenceData;

const LoadedModel& TinyTales() {
  static const auto* model = new LoadedModel("");
  return *model;
}

const LoadedModel& Random() {
  static const auto* model = new LoadedModel("random_untied.gguf");
  return *model;
}

const ReferenceData& Reference() {
  static const auto* data = new ReferenceData("tiny_tales_q8_0");
  return *data;
}

float WorstDifference(std::span<const float> a, std::span<const float> b) {
  float worst = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

// Rounding keys and values to f16 moves logits of the bundled model by at most 0.017; only tokens
// that lead by less than twice that may change.
constexpr float kHalfCacheError = 0.02f;

TEST(SameTokens, CacheInHalfPrecisionChangesOnlyNearTies) {
  auto exact = TinyTales().NewSession({.policy = "scalar", .kv_type = DType::kF32});
  auto half = TinyTales().NewSession({.policy = "scalar", .kv_type = DType::kF16});
  EXPECT_EQ(half->program().states[0].dtype, DType::kF16);
  EXPECT_EQ(half->cache().bytes() * 2, exact->cache().bytes());
  for (const auto& prompt : Reference().prompts()) {
    ASSERT_TRUE(exact->Prefill(prompt.ids).ok());
    ASSERT_TRUE(half->Prefill(prompt.ids).ok());
    EXPECT_LE(WorstDifference(exact->logits(), half->logits()), kHalfCacheError) << prompt.name;
    std::vector<float> margins;
    std::vector<int32_t> expected = ContinueGreedily(*exact, prompt.ids, 32, &margins);
    std::vector<int32_t> found = ContinueGreedily(*half, prompt.ids, 32);
    ASSERT_EQ(found.size(), expected.size());
    size_t same = std::ranges::mismatch(found, expected).in1 - found.begin();
    if (same == found.size()) continue;
    EXPECT_LE(margins[same], 2 * kHalfCacheError)
        << prompt.name << ": token " << same << " differs, and it was no near tie";
  }
}

TEST(SameTokens, PolicyScalarWithAnExactCacheGivesThoseOfReference) {
  auto reference = Random().NewSession({.policy = "reference"});
  auto scalar = Random().NewSession({.policy = "scalar", .kv_type = DType::kF32});
  ReferenceData data("random_untied");
  for (const auto& prompt : data.prompts()) {
    EXPECT_EQ(ContinueGreedily(*reference, prompt.ids, 32),
              ContinueGreedily(*scalar, prompt.ids, 32));
    EXPECT_LE(WorstDifference(reference->logits(), scalar->logits()), 1e-4f);
  }
}

TEST(SameTokens, PagedCacheEqualsContiguousBitForBit) {
  std::vector<int32_t> ids = Reference().prompts()[4].ids;
  for (const char* policy : {"reference", "scalar"}) {
    auto contiguous = TinyTales().NewSession({.policy = policy, .context = 256});
    auto paged =
        TinyTales().NewSession({.policy = policy, .context = 256}, {.block_positions = 32});
    ASSERT_TRUE(contiguous->Prefill(ids).ok());
    ASSERT_TRUE(paged->Prefill(ids).ok());
    EXPECT_EQ(LogitsOf(*contiguous), LogitsOf(*paged)) << policy;
    for (int i = 0; i < 40; ++i) {  // over the border of a block
      ASSERT_TRUE(contiguous->Decode(ids[i]).ok());
      ASSERT_TRUE(paged->Decode(ids[i]).ok());
      ASSERT_EQ(LogitsOf(*contiguous), LogitsOf(*paged)) << policy << " after " << i;
    }
  }
}

TEST(SameTokens, PromptInOneChunkEqualsThePromptSplitAnywhere) {
  std::vector<int32_t> ids = ReferenceData("random_untied").prompts()[1].ids;
  auto whole = Random().NewSession({.policy = "reference"});
  ASSERT_TRUE(whole->Prefill(ids).ok());
  std::vector<float> expected = LogitsOf(*whole);
  for (size_t split = 1; split < ids.size(); ++split) {
    whole->Clear();
    ASSERT_TRUE(whole->Prefill(std::span(ids).first(split)).ok());
    ASSERT_TRUE(whole->Prefill(ids).ok());
    EXPECT_LE(WorstDifference(whole->logits(), expected), 1e-5f) << "split at " << split;
  }
}

TEST(SameTokens, ChunkSizeDoesNotMatter) {
  std::vector<int32_t> ids = Reference().prompts()[4].ids;
  std::vector<int32_t> expected;
  for (int64_t chunk : {512, 1, 3, 64}) {
    auto session = TinyTales().NewSession({.policy = "scalar", .chunk = chunk});
    EXPECT_EQ(session->max_chunk(), chunk);
    std::vector<int32_t> found = ContinueGreedily(*session, ids, 24);
    ASSERT_EQ(found.size(), 24u);
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected) << "chunks of " << chunk;
  }
}

}  // namespace
}  // namespace infer
