// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/rounding.h"

#include <gtest/gtest.h>

#include "backends/simd/levels/choose_level.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;

const LoadedModel& TinyTalesModel() {
  static const auto* model = new LoadedModel("");
  return *model;
}

Rounding Coarsest(const CompileModelOptions& options) {
  const Program program = TinyTalesModel().Compile(options);
  Rounding coarsest = Rounding::kFloat;
  for (const Node* node : program.regimes[0].graph.nodes()) {
    if (!node->placement()) continue;
    coarsest = std::max(coarsest, RoundingOf(*node, TinyTalesModel().registry()));
  }
  return coarsest;
}

TEST(Rounding, ToleratesMoreTheCoarserItIs) {
  for (int i = 1; i <= static_cast<int>(Rounding::kActivations); ++i) {
    EXPECT_LE(ToleranceOf(static_cast<Rounding>(i - 1)), ToleranceOf(static_cast<Rounding>(i)));
    EXPECT_FALSE(Name(static_cast<Rounding>(i)).empty());
  }
}

TEST(Rounding, FollowsFromCachesAndKernels) {
  EXPECT_EQ(Coarsest({.policy = "reference"}), Rounding::kFloat);
  EXPECT_EQ(Coarsest({.policy = "scalar"}), Rounding::kCache);
  EXPECT_EQ(Coarsest({.policy = "scalar", .kv_type = DType::kF32}), Rounding::kFloat);
  EXPECT_EQ(Coarsest({.policy = "scalar", .kv_type = DType::kQ8_0}), Rounding::kQ8Cache);
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  EXPECT_EQ(Coarsest({.policy = "simd"}), Rounding::kActivations);
  EXPECT_EQ(Coarsest({.policy = "simd", .activations = Policy::Activations::kFloat}),
            Rounding::kCache);
  EXPECT_EQ(
      Coarsest(
          {.policy = "simd", .activations = Policy::Activations::kFloat, .kv_type = DType::kF32}),
      Rounding::kFloat);
}

}  // namespace
}  // namespace infer
