// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/place_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(PlaceRule, ReadsPredicatesAndTargets) {
  absl::StatusOr<Rule> rule = ParsePlaceRule("op=linear,layer>=20,rows<8=simd");
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->name, "place op=linear,layer>=20,rows<8=simd");
  EXPECT_TRUE(rule->is_override);
  EXPECT_EQ(rule->op, "linear");
  EXPECT_EQ(rule->layer, (Bounds{20, std::nullopt}));
  EXPECT_EQ(rule->rows, (Bounds{std::nullopt, 7}));
  EXPECT_THAT(rule->targets, ElementsAre(Target::kSimd, Target::kScalar));
}

TEST(PlaceRule, KnowsEveryField) {
  absl::StatusOr<Rule> rule = ParsePlaceRule(
      "op=li*,scope=layer.*/attn/*,name=blk.0.*,name~q_proj,type=q8_0,phase=prefill,layer=3,"
      "tokens>1,rows>=2,columns<=4k,inner=1024,elements>0,flops<1M,weight_bytes>=256k=parallel");
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->op, "li*");
  EXPECT_EQ(rule->scope, "layer.*/attn/*");
  EXPECT_EQ(rule->node, "blk.0.*");
  EXPECT_EQ(rule->node_regex.text(), "q_proj");
  EXPECT_EQ(rule->weight_type, "q8_0");
  EXPECT_EQ(rule->phase, Phase::kPrefill);
  EXPECT_EQ(rule->layer, (Bounds{3, 3}));
  EXPECT_EQ(rule->tokens, (Bounds{2, std::nullopt}));
  EXPECT_EQ(rule->rows, (Bounds{2, std::nullopt}));
  EXPECT_EQ(rule->columns, (Bounds{std::nullopt, 4096}));
  EXPECT_EQ(rule->inner, (Bounds{1024, 1024}));
  EXPECT_EQ(rule->elements, (Bounds{1, std::nullopt}));
  EXPECT_EQ(rule->flops, (Bounds{std::nullopt, (1 << 20) - 1}));
  EXPECT_EQ(rule->weight_bytes, (Bounds{256 << 10, std::nullopt}));
}

TEST(PlaceRule, CallsAPhaseARegimeToo) {
  EXPECT_EQ(ParsePlaceRule("regime=decode=simd")->phase, Phase::kDecode);
  EXPECT_EQ(ParsePlaceRule("regime=prefill=simd")->phase, Phase::kPrefill);
}

TEST(PlaceRule, KnowsTheLettersOfAProduct) {
  absl::StatusOr<Rule> rule = ParsePlaceRule("m>=32,n<=64,k=8=metal");
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->rows.min, 32);
  EXPECT_EQ(rule->columns.max, 64);
  EXPECT_EQ(rule->inner, (Bounds{8, 8}));
}

TEST(PlaceRule, TwoBoundsOfOneFieldBothHold) {
  absl::StatusOr<Rule> rule = ParsePlaceRule("rows>=4,rows<8,rows<=100=simd");
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->rows, (Bounds{4, 7}));
}

TEST(PlaceRule, WithoutPredicatesIsForEverything) {
  for (std::string_view text : {"simd", "=simd"}) {
    absl::StatusOr<Rule> rule = ParsePlaceRule(text);
    ASSERT_TRUE(rule.ok()) << rule.status();
    Rule bare;
    bare.name = StrCat("place ", text);
    bare.is_override = true;
    bare.targets = {Target::kSimd, Target::kScalar};
    EXPECT_EQ(*rule, bare);
  }
}

TEST(PlaceRule, TriesTheTargetsNamedAndThenLesserOnes) {
  auto targets = [](std::string_view text) { return ParsePlaceRule(text)->targets; };
  EXPECT_THAT(targets("scalar"), ElementsAre(Target::kScalar));
  EXPECT_THAT(targets("scalar|simd"), ElementsAre(Target::kScalar, Target::kSimd));
  EXPECT_THAT(targets("metal|simd"), ElementsAre(Target::kMetal, Target::kSimd, Target::kScalar));
  EXPECT_THAT(targets("metal"),
              ElementsAre(Target::kMetal, Target::kParallel, Target::kSimd, Target::kScalar));
}

TEST(PlaceRule, LeavesCommasAndEqualSignsToTheRegex) {
  absl::StatusOr<Rule> rule = ParsePlaceRule(R"(name~a[,=](b,c)d\,e,op=linear=simd)");
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->node_regex.text(), R"(a[,=](b,c)d\,e)");
  EXPECT_EQ(rule->op, "linear");
}

struct PlaceDefect {
  const char* name;
  const char* text;
  const char* message;
};

class PlaceDefects : public ::testing::TestWithParam<PlaceDefect> {};

TEST_P(PlaceDefects, ArePointedAt) {
  absl::StatusOr<Rule> rule = ParsePlaceRule(GetParam().text);
  ASSERT_FALSE(rule.ok());
  EXPECT_EQ(rule.status().code(), absl::StatusCode::kInvalidArgument);
  std::string message(ToStd(rule.status().message()));
  EXPECT_EQ(message.substr(0, message.find("': ")), StrCat("rule '", GetParam().text));
  EXPECT_THAT(message, ::testing::HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, PlaceDefects,
    ::testing::Values(
        PlaceDefect{"empty", "", "character 1: a target is missing"},
        PlaceDefect{"no_target", "op=linear=", "character 11: a target is missing"},
        PlaceDefect{"predicate_alone", "op=linear",
                    "character 10: a target is missing after the predicates, such as "
                    "'op=linear=simd'"},
        PlaceDefect{"bound_alone", "op=linear,rows>=8", "such as 'op=linear,rows>=8=simd'"},
        PlaceDefect{"lower_bound_alone", "rows<8", "such as 'rows<8=simd'"},
        PlaceDefect{"unknown_field_alone", "row=8", "character 1: 'row' is not a predicate"},
        PlaceDefect{
            "unknown_regime", "regime=1..3=simd",
            "character 8: the regime must be decode (one token) or prefill (more); for other "
            "intervals use tokens, such as tokens>=8"},
        PlaceDefect{"unknown_target", "op=linear=simt",
                    "character 11: unknown target 'simt' (did you mean simd?)"},
        PlaceDefect{"unknown_second_target", "op=linear=simd|scaler",
                    "character 16: unknown target 'scaler' (did you mean scalar?)"},
        PlaceDefect{"target_twice", "simd|simd", "character 6: simd is named twice"},
        PlaceDefect{"unknown_op", "rows>=8,op=linaer=simd",
                    "character 9: the rule names the unknown op \"linaer\" (did you mean linear?)"},
        PlaceDefect{"unknown_field", "op=linear,row>=8=simd",
                    "character 11: unknown field 'row' (did you mean rows?)"},
        PlaceDefect{"unknown_type", "type=q8_9=simd",
                    "character 1: the rule names the unknown weight type \"q8_9\" (did you mean"},
        PlaceDefect{"unknown_phase", "phase=decoding=simd",
                    "character 7: the phase must be decode"},
        PlaceDefect{"no_value", "op=linear,rows>==simd", "character 17: a value is missing"},
        PlaceDefect{"no_number", "rows>=many=simd", "character 7: 'many' is not a count"},
        PlaceDefect{"number_too_large", "rows>=9223372036854775807=simd", "character 7:"},
        PlaceDefect{"suffix_too_large", "rows>=9007199254740993k=simd", "character 7:"},
        PlaceDefect{"negative", "layer>=-1=simd", "character 8: '-1' is not a count"},
        PlaceDefect{"below_nothing", "rows<0=simd", "character 6: no number is below 0"},
        PlaceDefect{"contradiction", "rows>=8,op=linear,rows<4=simd",
                    "character 19: the rule can match nothing: for rows, its minimum 8 is above"},
        PlaceDefect{
            "phase_against_tokens", "phase=decode,tokens>4=simd",
            "character 14: the rule can match nothing: decode has one token, not 5 or more"},
        PlaceDefect{"regex_of_a_number", "rows~3=simd", "character 1: rows is a number"},
        PlaceDefect{"number_of_a_text", "op>=linear=simd", "character 1: op is text"},
        PlaceDefect{"bad_regex", "name~blk.(0=simd",
                    "character 6: the pattern 'blk.(0' is invalid"},
        PlaceDefect{"twice", "op=linear,op=silu=simd", "character 11: op is given twice"},
        PlaceDefect{"phase_twice", "phase=decode,phase=prefill=simd",
                    "character 14: phase is given twice"},
        PlaceDefect{"no_predicate", "linear,rows>=8=simd",
                    "character 1: 'linear' is not a predicate such as"},
        PlaceDefect{"empty_term", "op=linear,,rows>=8=simd",
                    "character 11: '' is not a predicate"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(PlaceRule, RefusesWhatATerminalWouldObey) {
  EXPECT_EQ(ParsePlaceRule("name=\033[31m=simd").status().message(),
            "rule \"name=\\x1b[31m=simd\" has a control character, which is not allowed");
}

TEST(SplitOutsideBrackets, KeepsEmptyParts) {
  EXPECT_THAT(SplitOutsideBrackets("", ','), ElementsAre(""));
  EXPECT_THAT(SplitOutsideBrackets("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(SplitOutsideBrackets("a],b,[c,d", ','), ElementsAre("a]", "b", "[c,d"));
  EXPECT_THAT(SplitOutsideBrackets("x{1,2},y[(],z", ','), ElementsAre("x{1,2}", "y[(]", "z"));
}

}  // namespace
}  // namespace infer
