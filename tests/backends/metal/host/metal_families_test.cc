// SPDX-License-Identifier: Apache-2.0
//
// Small models of the other families with every node on the device that this build has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "ir/graph/plan.h"
#include "tests/backends/conformance/tolerances.h"
#include "tests/backends/metal/host/needs_device.h"
#include "tests/model/loaded_model.h"
#include "tests/model/reference_data.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::LogitsOf;
using test::ReferenceData;

class MetalFamilies : public test::NeedsDevice,
                      public ::testing::WithParamInterface<const char*> {};

// Prompts that fill more than a tile of rows, and single tokens after them.
TEST_P(MetalFamilies, GiveTheLogitsOfReference) {
  const ReferenceData data(GetParam());
  const LoadedModel model(data.model());
  auto expected = model.NewSession({.policy = "reference", .context = 64, .chunk = 32});
  CompileModelOptions options = {
      .policy = "metal", .place = {"op=*=metal"}, .context = 64, .chunk = 32};
  options.kv_type = DType::kF32;
  auto found = model.NewSession(options);
  for (const Regime& regime : found->program().regimes) {
    for (const Segment& segment : regime.graph.plan()->segments) {
      EXPECT_EQ(segment.device, Device::kMetal);
    }
  }
  const double bound = conformance::ToleranceWith(DType::kF32).reference;
  const auto expect_near = [&] {
    const std::vector<float> a = LogitsOf(*found), b = LogitsOf(*expected);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], bound) << i;
  };
  for (const auto& prompt : data.prompts()) {
    const auto ids = std::span(prompt.ids).first(std::min<size_t>(prompt.ids.size(), 40));
    ASSERT_EQ(found->Prefill(ids), absl::OkStatus());
    ASSERT_EQ(expected->Prefill(ids), absl::OkStatus());
    expect_near();
    ASSERT_EQ(found->Decode(5), absl::OkStatus());
    ASSERT_EQ(expected->Decode(5), absl::OkStatus());
    expect_near();
  }
}

INSTANTIATE_TEST_SUITE_P(All, MetalFamilies,
                         ::testing::Values("random_qwen2_tied", "random_llama_tied",
                                           "random_llama_freqs", "random_moe", "random_moe_128",
                                           "random_moe_unused", "random_moe_same",
                                           "random_moe_one"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace infer
