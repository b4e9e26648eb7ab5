// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/traced_steps.h"

#include <gtest/gtest.h>

#include "ir/graph/placement.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

TEST(TracedSteps, NamesStepsInTheOrderOfThePlan) {
  const Program program = test::SampleProgram();
  const std::vector<TracedStep> steps = TracedSteps(program.regimes[0]);
  ASSERT_EQ(steps.size(), 10u);
  EXPECT_EQ(steps[0].name, "embed embed");
  EXPECT_FALSE(steps[0].layer.has_value());
  EXPECT_EQ(steps[2].name, "attn/q_proj linear");
  EXPECT_EQ(steps[2].layer, 0);
  EXPECT_EQ(steps[2].number, 2);
  EXPECT_TRUE(steps[2].uses_tokens);
  EXPECT_FALSE(steps[2].uses_context);
}

TEST(TracedSteps, LeavesOutViewsAndKeepsTheNumbersOfTheOthers) {
  Program program = test::SampleProgram();
  for (Node* node : program.regimes[0].graph.nodes()) {
    if (node->scope() != "layer.0/attn/heads") continue;
    Placement placement = *node->placement();
    placement.kernel = "view";
    node->set_placement(placement);
  }
  const std::vector<TracedStep> steps = TracedSteps(program.regimes[0]);
  ASSERT_EQ(steps.size(), 9u);
  EXPECT_EQ(steps[3].name, "attn/half slice_columns");
  EXPECT_EQ(steps[3].number, 4);
}

TEST(TracedSteps, FillsInTheSymbolsOfACall) {
  const Program program = test::SampleProgram();
  const std::vector<TracedStep> steps = TracedSteps(program.regimes[0]);
  EXPECT_EQ(InputsAt(*steps[2].node, {4, 1, 9}), "f32[4,64], q4_0[64,64]");
  EXPECT_EQ(ResultsAt(*steps[9].node, {4, 2, 9}), "f32[2,96]");
  EXPECT_EQ(InputsAt(*steps[6].node, {4, 1, 9}), "f32[4,2,32], kv<f16[1,32]>, batch");
}

TEST(TracedSteps, CountsKeysAndValuesOfAllLayers) {
  Program program = test::SampleProgram();
  ASSERT_EQ(program.states.size(), 1u);
  EXPECT_EQ(KvBytesPerPosition(program), 2 * 32 * 2);
  State second = program.states[0];
  second.dtype = DType::kQ8_0;
  second.kv_heads = 4;
  program.states.push_back(second);
  EXPECT_EQ(KvBytesPerPosition(program), 2 * 32 * 2 + 2 * 4 * 34);
}

}  // namespace
}  // namespace infer
