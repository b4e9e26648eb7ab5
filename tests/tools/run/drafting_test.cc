// SPDX-License-Identifier: Apache-2.0
#include "tools/run/drafting.h"

#include <gtest/gtest.h>

#include "tests/model/loaded_model.h"

namespace infer {
namespace {

Program Compile(bool invariant) {
  const testing::LoadedModel model("");
  CompileModelOptions options = {.policy = "auto", .context = 256, .logit_rows = kMaxDraft + 1};
  options.invariant = invariant;
  return model.Compile(options);
}

TEST(DraftCosts, GrowWithTheTokensOfACall) {
  const std::array<double, kMaxDraft + 1> costs = DraftCosts(Compile(false));
  EXPECT_GT(costs[0], 1);
  for (size_t k = 1; k < costs.size(); ++k) {
    EXPECT_GE(costs[k], costs[k - 1]) << k;
    EXPECT_LT(costs[k], costs[0] * static_cast<double>(k + 1)) << k;
  }
}

TEST(DraftCosts, AreEqualWithoutAMachine) {
  Program program = Compile(false);
  program.machine = {};
  EXPECT_EQ(DraftCosts(program)[3], DraftCosts(program)[0]);
}

TEST(NodeThatDraftsChange, IsNoneOfAnInvariantProgram) {
  Program program = Compile(true);
  EXPECT_EQ(NodeThatDraftsChange(program), "");
  for (Node* node : program.regimes[0].graph.nodes()) {
    if (!node->placement() || node->scope() != "layer.2/attn/attention") continue;
    Placement placement = *node->placement();
    placement.kernel_record.numerics.clear();
    node->set_placement(placement);
  }
  EXPECT_EQ(NodeThatDraftsChange(program), "layer.2/attn/attention");
}

}  // namespace
}  // namespace infer
