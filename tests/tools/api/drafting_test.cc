// SPDX-License-Identifier: Apache-2.0
#include "tools/api/drafting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/loaded_model.h"

namespace infer {
namespace {

Program Compile(bool invariant) {
  const test::LoadedModel model("");
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

TEST(DraftCosts, GrowWithSequencesUntilDraftsDoNotPay) {
  const test::LoadedModel model("");
  CompileModelOptions options = {.policy = "auto", .context = 256, .chunk = 512};
  options.sequences = 64;
  options.logit_rows = 512;
  const Program program = model.Compile(options);
  auto price = [&](int64_t sequences) {
    const std::array<double, kMaxDraft + 1> costs = DraftCosts(program, sequences);
    return costs[3] / costs[0];
  };
  EXPECT_GT(price(16), price(1));
  EXPECT_GT(price(64), 3);
}

TEST(DraftCosts, HaveTheTimeOfTheModelThatDrafts) {
  const Program program = Compile(false);
  const std::array<double, kMaxDraft + 1> alone = DraftCosts(program);
  const std::array<double, kMaxDraft + 1> with = DraftCosts(program, 1, &program);
  EXPECT_EQ(with[0], alone[0]);
  EXPECT_NEAR(with[3], alone[3] + 3 * alone[0], alone[0] * 0.2);
}

TEST(DraftWarning, IsNoneForAnInvariantProgram) {
  Program program = Compile(true);
  EXPECT_EQ(DraftWarning(program), "");
  for (Node* node : program.regimes[0].graph.nodes()) {
    if (!node->placement() || node->scope() != "layer.2/attn/attention") continue;
    Placement placement = *node->placement();
    placement.kernel_record.numerics.clear();
    node->set_placement(placement);
  }
  EXPECT_THAT(DraftWarning(program), ::testing::HasSubstr("the bits of layer.2/attn/attention"));
}

}  // namespace
}  // namespace infer
