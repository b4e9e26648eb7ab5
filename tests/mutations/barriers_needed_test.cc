// SPDX-License-Identifier: Apache-2.0
//
// The plans of the bundled model: threads meet where they must, and nowhere else.
#include <gtest/gtest.h>

#include "ir/graph/plan.h"
#include "ir/verify/verifier.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

class BarriersNeeded : public ::testing::TestWithParam<const char*> {};

TEST_P(BarriersNeeded, ClearingAnyOneIsRefused) {
  static const auto* model = new test::LoadedModel("");
  absl::StatusOr<Program> program =
      CompileModel(model->file(), model->registry(), {.policy = GetParam()});
  if (!program.ok()) GTEST_SKIP() << program.status();  // no such device here
  for (Regime& regime : program->regimes) {
    const Plan plan = *regime.graph.plan();
    for (size_t segment = 0; segment < plan.segments.size(); ++segment) {
      for (size_t step = 0; step < plan.segments[segment].steps.size(); ++step) {
        if (!plan.segments[segment].steps[step].barrier_after) continue;
        Plan cleared = plan;
        cleared.segments[segment].steps[step].barrier_after = false;
        regime.graph.set_plan(std::move(cleared));
        EXPECT_FALSE(Verify(regime.graph).ok())
            << "nobody needs the barrier after step " << step << " of segment " << segment
            << " from " << regime.min_tokens << " tokens on";
      }
    }
    regime.graph.set_plan(plan);
    EXPECT_EQ(Verify(regime.graph), absl::OkStatus());
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPolicy, BarriersNeeded,
                         ::testing::Values("auto", "metal", "parallel", "reference", "scalar",
                                           "simd", "tutorial"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace infer
