// SPDX-License-Identifier: Apache-2.0
#include "tools/report/placement_text.h"

#include <gtest/gtest.h>

#include "ir/graph/placement.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

TEST(RecordText, TellsAPredicateWithTheNumbersItSaw) {
  EXPECT_EQ(TermText({"rows", ">=", 8, 1, 7}), "rows >= 8: 1..7");
  EXPECT_EQ(TermText({"weight_bytes", ">=", 262144, 1114112, 1114112}),
            "weight_bytes >= 262,144: 1,114,112");
}

TEST(RecordText, TellsWhoDecided) {
  Program program;
  program.policy.name = "mine";
  Placement placement;
  placement.rule = "split";
  EXPECT_EQ(DecidedByText(program, placement), "rule split of policy mine");
  placement.source = PlacementSource::kOverride;
  placement.rule = "place op=add=simd";
  EXPECT_EQ(DecidedByText(program, placement), "rule place op=add=simd, given on the command line");
  EXPECT_EQ(BecauseText(program, placement), "its name matches");
}

TEST(RecordText, TellsWhatTheRuleAsksFor) {
  Program program;
  Rule rule;
  rule.name = "split";
  rule.op = "linear";
  rule.weight_type = "q8_0";
  program.policy.rules = {rule};
  Placement placement;
  placement.rule = "split";
  placement.terms = {{"rows", ">=", 4, 4, 7}};
  EXPECT_EQ(BecauseText(program, placement), "op linear, weight type q8_0, rows >= 4: 4..7");
  program.policy.rules[0] = Rule();
  program.policy.rules[0].name = "split";
  placement.terms = {};
  EXPECT_EQ(BecauseText(program, placement), "it takes every node");
}

TEST(RecordText, OnlyThePolicyCanBeOverruled) {
  EXPECT_TRUE(CouldMove({Target::kSimd, Rejected::Code::kNotInRule, ""}));
  EXPECT_TRUE(CouldMove({Target::kSimd, Rejected::Code::kLowerInRule, ""}));
  EXPECT_FALSE(CouldMove({Target::kSimd, Rejected::Code::kNoKernel, ""}));
  EXPECT_FALSE(CouldMove({Target::kMetal, Rejected::Code::kUnavailable, ""}));
}

TEST(PlaceRule, MustComeBeforeTheOneThatPlacedTheNode) {
  Placement placement;
  placement.rule = "split";
  EXPECT_EQ(MustComeBefore(placement), "");
  placement.source = PlacementSource::kOverride;
  placement.rule = "place op=add=simd";
  EXPECT_EQ(MustComeBefore(placement), "place op=add=simd");
  placement.source = PlacementSource::kSmooth;
  EXPECT_EQ(MustComeBefore(placement), "place op=add=simd");
  for (const char* later :
       {"gpu-layers 2", "override-tensor attn=CPU"}) {  // all placed come before these
    placement.rule = later;
    EXPECT_EQ(MustComeBefore(placement), "");
  }
}

TEST(PlaceRule, NamesLayersOnlyWhereNotAllAreMeant) {
  Program program = test::SampleProgram();
  std::vector<RegimeView> regimes = ViewRegimes(program);
  ScopeIndex scopes(regimes);
  NodeGroup group{"attn/norm", "layer.0/attn/norm", "rms_norm", 0, {0}, {}};
  EXPECT_EQ(scopes.PlaceRule(group, Target::kSimd), "name=layer.0/attn/norm=simd");
  group.layers = {2, 3, 4};
  EXPECT_EQ(scopes.PlaceRule(group, Target::kSimd),
            "name=layer.*/attn/norm,layer>=2,layer<=4=simd");
  group.layers = {2, 4};  // no interval: layer 3 must not move with them
  EXPECT_EQ(scopes.PlaceRule(group, Target::kSimd), "name=layer.2/attn/norm=simd");
}

}  // namespace
}  // namespace infer
