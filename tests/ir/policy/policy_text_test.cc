// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/policy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ir/base/strings.h"
#include "ir/policy/policy.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Policy, ReadsTheRulesOfTheArchitecture) {
  absl::StatusOr<Policy> policy = ParsePolicy(R"pb(
                                                name: "two"
                                                rule {
                                                  name: "gpu-prefill"
                                                  op: "linear"
                                                  min_rows: 8
                                                  targets: [ METAL, PARALLEL, SIMD ]
                                                }
                                                rule {
                                                  name: "rest"
                                                  scope: "layer.*/attn/*"
                                                  max_layer: 3
                                                  weight_type: "q8_0"
                                                  targets: SCALAR
                                                }
                                              )pb",
                                              "two.textproto");
  ASSERT_TRUE(policy.ok()) << policy.status();
  ASSERT_EQ(policy->rules.size(), 2u);
  EXPECT_EQ(policy->composites, Policy::Composites::kKeep);
  EXPECT_EQ(policy->activations, Policy::Activations::kAuto);
  EXPECT_EQ(policy->kv_type, std::nullopt);
  const Rule& gpu = policy->rules[0];
  EXPECT_EQ(gpu.op, "linear");
  EXPECT_EQ(gpu.rows, (Bounds{8, std::nullopt}));
  EXPECT_EQ(gpu.columns, Bounds{});
  EXPECT_EQ(gpu.targets, (std::vector{Target::kMetal, Target::kParallel, Target::kSimd}));
  EXPECT_EQ(policy->rules[1].layer, (Bounds{std::nullopt, 3}));
  EXPECT_EQ(policy->rules[1].weight_type, "q8_0");
  EXPECT_EQ(policy->rules[1].scope, "layer.*/attn/*");
}

TEST(Policy, PrintsWhatItReadsBack) {
  Policy policy;
  policy.name = "all fields";
  policy.summary = "with \"quotes\" and \\n";
  policy.composites = Policy::Composites::kDecompose;
  policy.activations = Policy::Activations::kFloat;
  policy.invariant = true;
  policy.kv_type = DType::kF16;
  Rule rule = {.name = "a",
               .op = "linear",
               .scope = "*",
               .node = "blk.?.*",
               .node_regex = *NameRegex::Compile("a|b"),
               .weight_type = "q4_k",
               .phase = Phase::kPrefill,
               .layer = {0, 1},
               .tokens = {2, 3},
               .rows = {4, 5},
               .columns = {6, 7},
               .inner = {8, 9},
               .elements = {10, 11},
               .flops = {12, int64_t{1} << 60},
               .weight_bytes = {14, 15},
               .targets = {kUserTargets.begin(), kUserTargets.end()},
               .is_override = false};
  Rule bare;
  bare.name = "b";
  bare.targets = {Target::kScalar};
  policy.rules = {rule, bare};
  absl::StatusOr<Policy> again = ParsePolicy(PrintPolicy(policy), "again");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, policy);
}

TEST(Policy, ShipsReferenceAndScalar) {
  const std::string folder = INFER_SOURCE_DIR "/passes/policies/";
  absl::StatusOr<Policy> reference = ParsePolicy(ReadFile(folder + "reference.textproto"), "r");
  ASSERT_TRUE(reference.ok()) << reference.status();
  EXPECT_EQ(reference->name, "reference");
  EXPECT_EQ(reference->composites, Policy::Composites::kDecompose);
  EXPECT_EQ(reference->activations, Policy::Activations::kFloat);
  EXPECT_EQ(reference->kv_type, DType::kF32);
  ASSERT_EQ(reference->rules.size(), 1u);
  EXPECT_EQ(reference->rules[0].targets, std::vector{Target::kScalar});

  absl::StatusOr<Policy> scalar = ParsePolicy(ReadFile(folder + "scalar.textproto"), "s");
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ(scalar->name, "scalar");
  EXPECT_EQ(scalar->composites, Policy::Composites::kKeep);
  EXPECT_EQ(scalar->rules[0].targets, std::vector{Target::kScalar});
}

struct PolicyDefect {
  const char* name;
  const char* text;
  const char* message;
};

class PolicyDefects : public ::testing::TestWithParam<PolicyDefect> {};

TEST_P(PolicyDefects, AreRefusedInOneLineThatNamesTheFile) {
  absl::StatusOr<Policy> policy = ParsePolicy(GetParam().text, "p.textproto");
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument);
  std::string message(ToStd(policy.status().message()));
  EXPECT_THAT(message, StartsWith("p.textproto:"));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    All, PolicyDefects,
    ::testing::Values(
        PolicyDefect{"empty", "", "p.textproto:1:1: the policy has no name"},
        PolicyDefect{"no_rules", "name: 'a'", "the policy has no rules"},
        PolicyDefect{"not_text", "name = 3", "p.textproto:1:6: Expected \":\", found \"=\"."},
        PolicyDefect{"unterminated", "name: \"a", "p.textproto:1:"},
        PolicyDefect{"unknown_field", "name: 'a'\nrule { name: 'a' min_row: 3 targets: [SCALAR] }",
                     "a rule has no field min_row (did you mean min_rows?)"},
        PolicyDefect{"unknown_policy_field", "name: 'a' composite: KEEP",
                     "a policy has no field composite (did you mean composites?)"},
        PolicyDefect{"unknown_field_far_from_all", "frobnicate: 1",
                     "a policy has no field frobnicate"},
        PolicyDefect{"unknown_target", "name: 'a' rule { name: 'a' targets: [METALL] }",
                     "targets has no value METALL (did you mean METAL?)"},
        PolicyDefect{"unspecified_target",
                     "name: 'a' rule { name: 'a' targets: [TARGET_UNSPECIFIED] }",
                     "unknown target 0"},
        PolicyDefect{"target_number", "name: 'a' rule { name: 'a' targets: [77] }",
                     "unknown target 77"},
        PolicyDefect{"unknown_composites", "composites: KEEPER",
                     "composites has no value KEEPER (did you mean KEEP?)"},
        PolicyDefect{"rule_without_name", "name: 'a'\n\n rule { targets: [SCALAR] }",
                     "p.textproto:3:2: a rule has no name"},
        PolicyDefect{"same_name",
                     "name: 'a' rule { name: 'x' targets: SIMD }\nrule { name: 'x' targets: SIMD }",
                     "p.textproto:2:1: a second rule is named \"x\""},
        PolicyDefect{"no_targets", "name: 'a' rule { name: 'x' }", "rule \"x\" has no targets"},
        PolicyDefect{"target_twice", "name: 'a' rule { name: 'x' targets: [SIMD, SIMD] }",
                     "names a target twice"},
        PolicyDefect{"unknown_op", "name: 'a' rule { name: 'x' op: 'linaer' targets: [SIMD] }",
                     "unknown op \"linaer\" (did you mean linear?)"},
        PolicyDefect{"unknown_weight_type",
                     "name: 'a' rule { name: 'x' weight_type: 'q8_9' targets: [SIMD] }",
                     "unknown weight type \"q8_9\" (did you mean q8_0?)"},
        PolicyDefect{"min_above_max",
                     "name: 'a' rule { name: 'x' min_inner: 5 max_inner: 4 targets: [SIMD] }",
                     "can match nothing: for inner, its minimum 5 is above its maximum 4"},
        PolicyDefect{"below_zero", "name: 'a' rule { name: 'x' max_rows: -1 targets: [SIMD] }",
                     "rule \"x\" has the maximum -1 for rows; bounds must be 0 or more"},
        PolicyDefect{"minimum_below_zero",
                     "name: 'a' rule { name: 'x' min_rows: -5 targets: [SIMD] }",
                     "rule \"x\" has the minimum -5 for rows"},
        PolicyDefect{"escape_in_name", "name: 'a\\033[31m' rule { name: 'x' targets: [SIMD] }",
                     "the policy has a control character in its name: \"a\\x1b[31m\""},
        PolicyDefect{"escape_in_summary",
                     "name: 'a' summary: '\\007' rule { name: 'x' targets: SIMD }",
                     "control character in its summary"},
        PolicyDefect{"escape_in_rule", "name: 'a' rule { name: 'x\\302\\23331m' targets: [SIMD] }",
                     "has a control character in its name: \"x\\xc2"},
        PolicyDefect{"escape_in_scope",
                     "name: 'a' rule { name: 'x' scope: '\\t*' targets: [SIMD] }",
                     "rule \"x\" has a control character in its scope"},
        PolicyDefect{"escape_in_regex",
                     "name: 'a' rule { name: 'x' node_regex: '\\r' targets: SIMD }",
                     "rule \"x\" has a control character in its node_regex"},
        PolicyDefect{"phase_and_regime",
                     "name: 'a' rule { name: 'x' phase: DECODE regime: PREFILL targets: [SIMD] }",
                     "rule \"x\" has both a phase and a regime"},
        PolicyDefect{"decode_of_many",
                     "name: 'a' rule { name: 'x' phase: DECODE min_tokens: 2 targets: [SIMD] }",
                     "can match nothing: decode has one token, not 2 or more"},
        PolicyDefect{"prefill_of_one",
                     "name: 'a' rule { name: 'x' phase: PREFILL max_tokens: 1 targets: [SIMD] }",
                     "can match nothing: prefill has 2 tokens or more, not 1"},
        PolicyDefect{"unknown_phase", "name: 'a' rule { name: 'x' phase: PREFIL targets: [SIMD] }",
                     "phase has no value PREFIL (did you mean PREFILL?)"},
        PolicyDefect{"phase_number", "name: 'a' rule { name: 'x' phase: 9 targets: [SIMD] }",
                     "unknown phase 9"},
        PolicyDefect{"op_glob_of_nothing",
                     "name: 'a' rule { name: 'x' op: 'linaer*' targets: [SIMD] }",
                     "unknown op \"linaer*\""},
        PolicyDefect{
            "bad_regex", "name: 'a'\n\n rule { name: 'x' node_regex: '(' targets: [SIMD] }",
            "p.textproto:3:2: rule \"x\": node_regex: the pattern '(' is invalid at character 2: "
            "missing closing parenthesis"},
        PolicyDefect{"unknown_kv_type", "name: 'a' kv_type: 'f17'",
                     "kv_type \"f17\" is not an element type"},
        PolicyDefect{"not_utf8", "name: '\\377' rule { name: 'x' targets: [SIMD] }", "not UTF-8"},
        PolicyDefect{"number_too_large", "rule { min_rows: 99999999999999999999 }",
                     "p.textproto:1:18"},
        PolicyDefect{"field_twice", "name: 'a' name: 'b'", "p.textproto:1:1"},
        PolicyDefect{"line_break_in_name", "name: 'a' rule { name: 'x\\ny' }",
                     "rule \"x\\ny\" has a control character in its name"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(Policy, ReadsARegimeAsAPhase) {
  absl::StatusOr<Policy> policy =
      ParsePolicy("name: 'a' rule { name: 'x' regime: DECODE targets: [SIMD] }", "p");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->rules[0].phase, Phase::kDecode);
}

TEST(Policy, RefusesAFileThatIsNoPolicyByItsLength) {
  absl::StatusOr<Policy> policy = ParsePolicy(std::string((1 << 20) + 1, ' '), "big");
  ASSERT_FALSE(policy.ok());
  EXPECT_THAT(std::string(policy.status().message()), HasSubstr("at most 1048576"));
}

}  // namespace
}  // namespace infer
