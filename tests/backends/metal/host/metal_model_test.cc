// SPDX-License-Identifier: Apache-2.0
//
// A whole model on the device that this build has: a GPU, or software that runs the shaders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "ir/graph/plan.h"
#include "tests/backends/conformance/tolerances.h"
#include "tests/backends/metal/host/needs_device.h"
#include "tests/model/loaded_model.h"
#include "tests/model/reference_data.h"

namespace infer {
namespace {

using test::ContinueGreedily;
using test::LoadedModel;
using test::LogitsOf;
using test::ReferenceData;

using MetalModel = test::NeedsDevice;

const LoadedModel& TinyTales() {
  static const auto* model = new LoadedModel("");
  return *model;
}

CompileModelOptions AllOnMetal() {
  return {.policy = "metal", .place = {"op=*=metal"}, .context = 64, .chunk = 32};
}

// Activations stay in f32 and the weights are read as they are; only K and V are rounded.
constexpr double kHalfCacheError = conformance::ToleranceWith(DType::kF16).reference;

float WorstDifference(std::span<const float> a, std::span<const float> b) {
  float worst = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

// The software device takes seconds for a prompt: all of them only in a full run.
std::vector<test::ReferencePrompt> Prompts() {
  std::vector<test::ReferencePrompt> prompts = ReferenceData("tiny_tales_q8_0").prompts();
  if (std::getenv("INFER_TEST_PROMPTS") == nullptr) prompts.resize(2);
  return prompts;
}

TEST_F(MetalModel, GivesTheTokensOfReference) {
  auto expected = TinyTales().NewSession({.policy = "reference", .context = 64, .chunk = 32});
  auto found = TinyTales().NewSession(AllOnMetal());
  for (const Regime& regime : found->program().regimes) {
    for (const Segment& segment : regime.graph.plan()->segments) {
      EXPECT_EQ(segment.device, Device::kMetal);
    }
  }
  for (const auto& prompt : Prompts()) {
    const std::span<const int32_t> ids =
        std::span(prompt.ids).first(std::min<size_t>(prompt.ids.size(), 12));
    EXPECT_EQ(ContinueGreedily(*found, ids, 4), ContinueGreedily(*expected, ids, 4)) << prompt.name;
    EXPECT_LE(WorstDifference(found->logits(), expected->logits()), kHalfCacheError) << prompt.name;
  }
}

TEST_F(MetalModel, LogitsAreAsNearToThoseOfReferenceAsTheCacheLetsThem) {
  auto expected = TinyTales().NewSession({.policy = "reference", .context = 64, .chunk = 32});
  for (DType cache : {DType::kF32, DType::kF16, DType::kQ8_0}) {
    CompileModelOptions options = AllOnMetal();
    options.kv_type = cache;
    auto found = TinyTales().NewSession(options);
    float worst = 0;
    for (const auto& prompt : Prompts()) {
      const std::span<const int32_t> ids =
          std::span(prompt.ids).first(std::min<size_t>(prompt.ids.size(), 20));
      ASSERT_EQ(found->Prefill(ids), absl::OkStatus());
      ASSERT_EQ(expected->Prefill(ids), absl::OkStatus());
      worst = std::max(worst, WorstDifference(found->logits(), expected->logits()));
      ASSERT_EQ(found->Decode(5), absl::OkStatus());
      ASSERT_EQ(expected->Decode(5), absl::OkStatus());
      worst = std::max(worst, WorstDifference(found->logits(), expected->logits()));
    }
    RecordProperty(std::string(Name(cache)), std::to_string(worst));
    EXPECT_LE(worst, conformance::ToleranceWith(cache).reference) << Name(cache);
  }
}

// Calls of 8 tokens and more run on metal, shorter ones on the CPU, in one cache.
TEST_F(MetalModel, RegimesShareTheCache) {
  auto expected = TinyTales().NewSession({.policy = "reference", .context = 64, .chunk = 16});
  auto mixed = TinyTales().NewSession(
      {.policy = "metal", .activations = Policy::Activations::kFloat, .context = 64, .chunk = 16});
  ASSERT_EQ(mixed->program().regimes.size(), 2u);
  const std::vector<int32_t> ids = ReferenceData("tiny_tales_q8_0").prompts()[4].ids;
  ASSERT_GE(ids.size(), 40u);
  // 16 + 9 tokens on metal, 3 on the CPU, 12 on metal; then one by one.
  for (size_t length : {25, 28, 40}) {
    const std::span<const int32_t> prompt = std::span(ids).first(length);
    ASSERT_EQ(expected->Prefill(prompt), absl::OkStatus());
    ASSERT_EQ(mixed->Prefill(prompt), absl::OkStatus());
    EXPECT_LE(WorstDifference(mixed->logits(), expected->logits()), kHalfCacheError) << length;
  }
  const std::span<const int32_t> prompt = std::span(ids).first(41);
  EXPECT_EQ(ContinueGreedily(*mixed, prompt, 6), ContinueGreedily(*expected, prompt, 6));
}

// Keys and values in blocks that lie anywhere, written and read by shaders.
TEST_F(MetalModel, APagedCacheGivesTheSameBits) {
  auto contiguous = TinyTales().NewSession(AllOnMetal());
  auto paged = TinyTales().NewSession(AllOnMetal(), {.block_positions = 16});
  std::vector<int32_t> ids = ReferenceData("tiny_tales_q8_0").prompts()[4].ids;
  ids.resize(20);
  ASSERT_EQ(contiguous->Prefill(ids), absl::OkStatus());
  ASSERT_EQ(paged->Prefill(ids), absl::OkStatus());
  EXPECT_EQ(LogitsOf(*contiguous), LogitsOf(*paged));
  ASSERT_EQ(contiguous->Decode(5), absl::OkStatus());
  ASSERT_EQ(paged->Decode(5), absl::OkStatus());
  EXPECT_EQ(LogitsOf(*contiguous), LogitsOf(*paged));
}

}  // namespace
}  // namespace infer
