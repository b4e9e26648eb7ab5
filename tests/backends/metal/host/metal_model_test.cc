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

#include "backends/metal/choose_metal.h"
#include "tests/model/loaded_model.h"
#include "tests/model/reference_data.h"

namespace infer {
namespace {

using ::testing::Contains;
using testing::ContinueGreedily;
using testing::LoadedModel;
using testing::LogitsOf;
using testing::ReferenceData;

const LoadedModel& TinyTales() {
  static const auto* model = [] {
    setenv(metal::kEmulationVariable, "1", 1);
    return new LoadedModel("");
  }();
  return *model;
}

CompileModelOptions AllOnMetal() {
  return {.policy = "metal", .place = {"op=*=metal"}, .context = 64, .chunk = 32};
}

// Activations stay in f32 and the weights are read as they are; only K and V are rounded to f16.
constexpr float kHalfCacheError = 0.02f;

float WorstDifference(std::span<const float> a, std::span<const float> b) {
  float worst = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

TEST(MetalModel, GivesTheTokensOfReference) {
  auto expected = TinyTales().NewSession({.policy = "reference", .context = 64, .chunk = 32});
  auto found = TinyTales().NewSession(AllOnMetal());
  for (const Regime& regime : found->program().regimes) {
    for (const Segment& segment : regime.graph.plan()->segments) {
      EXPECT_EQ(segment.device, Device::kMetal);
    }
  }
  const ReferenceData data("tiny_tales_q8_0");
  for (const auto& prompt : data.prompts()) {
    const std::span<const int32_t> ids =
        std::span(prompt.ids).first(std::min<size_t>(prompt.ids.size(), 12));
    EXPECT_EQ(ContinueGreedily(*found, ids, 4), ContinueGreedily(*expected, ids, 4)) << prompt.name;
    EXPECT_LE(WorstDifference(found->logits(), expected->logits()), kHalfCacheError) << prompt.name;
  }
}

}  // namespace
}  // namespace infer
