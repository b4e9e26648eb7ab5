// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "ir/base/json.h"
#include "passes/policies.h"
#include "tests/support/gguf_writer.h"
#include "tests/tools/e2e/tool_run.h"
#include "tools/api/compile_model.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(InferPolicy, ListsTheNamedPolicies) {
  const std::string text = OutputOf("infer-policy", {"list"});
  const Json json = Json::parse(OutputOf("infer-policy", {"list", "--format", "json"}));
  EXPECT_EQ(json["schema_version"], 1);
  ASSERT_EQ(json["policies"].size(), NamedPolicies().size());
  for (size_t i = 0; i < NamedPolicies().size(); ++i) {
    EXPECT_EQ(json["policies"][i]["name"], NamedPolicies()[i].name);
    EXPECT_THAT(text, HasSubstr(json["policies"][i]["summary"].get<std::string>()));
  }
}

TEST(InferPolicy, ShowsAPolicyWithItsComments) {
  for (const NamedPolicyText& named : NamedPolicies()) {
    EXPECT_EQ(OutputOf("infer-policy", {"show", std::string(named.name)}), named.textproto);
  }
  const Json json = Json::parse(OutputOf("infer-policy", {"show", "tutorial", "--format", "json"}));
  EXPECT_EQ(json["composites"], "decompose");
  EXPECT_EQ(json["rules"][0]["op"], "linear");
  EXPECT_EQ(json["rules"][0]["min_rows"], 8);
  EXPECT_FALSE(json["rules"][0].contains("max_rows"));
  EXPECT_EQ(json["rules"][0]["targets"][0], "metal");
}

// Each of these rules would be tried for a second on each of its nodes.
TEST(InferPolicy, RefusesPatternsThatTryEverything) {
  const TempDir dir;
  const std::string path = dir.Path("hostile.textproto");
  std::ofstream file(path);
  file << "name: 'hostile'\n";
  for (int i = 0; i < 2000; ++i) {
    file << "rule { name: 'r" << i << "' node_regex: '^(.|..|...)*[!?" << i % 10
         << "]$' targets: [SCALAR] }\n";
  }
  file << "rule { name: 'rest' targets: [SCALAR] }\n";
  file.close();
  for (const auto& [tool, args] :
       {std::pair<std::string, std::vector<std::string>>{"infer-policy", {"check", path}},
        {"infer-compile", {"--policy", path, "--dry-run"}}}) {
    const CapturedRun run = RunNamed(tool, args);
    EXPECT_EQ(run.code, 3);
    EXPECT_THAT(run.err, HasSubstr("rule \"r0\": node_regex: the pattern '^(.|..|...)*[!?0]$' "
                                   "takes more than 10000 steps"));
  }
}

TEST(InferPolicy, RefusesWhatIsNoPolicy) {
  CapturedRun run = RunNamed("infer-policy", {"show", "tutorail"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("did you mean tutorial?"));
  EXPECT_EQ(RunNamed("infer-policy", {}).code, 2);
  const TempDir dir;
  const std::string path = dir.Path("red.textproto");
  std::ofstream(path) << "name: 'x\\033[31m' rule { name: 'a\\nb' targets: [SCALAR] }";
  for (const char* verb : {"show", "check"}) {
    run = RunNamed("infer-policy", {verb, path});
    EXPECT_EQ(run.code, 3);
    EXPECT_THAT(run.err, HasSubstr("control character in its name"));
    EXPECT_THAT(run.err + run.out, Not(HasSubstr("\033")));
  }
  EXPECT_EQ(RunNamed("infer-policy", {"show"}).code, 2);
}

// Its products and those alone leave the plain loops, for as many rows as need no GPU.
TEST(TutorialPolicy, IsCarriedOutToTheLetterBelowTheGpu) {
  if (DefaultPolicy() == "scalar") GTEST_SKIP() << "no simd on this machine";
  const CapturedRun run =
      RunNamed("infer-compile", {"--policy", "tutorial", "--strict", "-ub", "7", "--dry-run"});
  EXPECT_EQ(run.code, 0) << run.err;
}

// It is written for the machine, and rules that one model has no use for are no mistake in it.
TEST(TunedPolicyFile, IsNotScoldedForRulesThatDoNothing) {
  test::ScratchDir dir;
  const std::string rules =
      "rule { name: 'all' targets: [SCALAR] } rule { name: 'idle' op: 'silu' targets: [SCALAR] }";
  const CapturedRun mine = RunNamed(
      "infer-compile", {"--dry-run", "--policy", dir.Write("a.textproto", "name: 'a' " + rules)});
  EXPECT_THAT(mine.err, HasSubstr("idle"));
  const CapturedRun tuned =
      RunNamed("infer-compile", {"--dry-run", "--strict", "--policy",
                                 dir.Write("tuned.textproto", "name: 'tuned' " + rules)});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, Not(HasSubstr("idle")));
}

class InferPolicyCheck : public ::testing::Test {
 protected:
  std::string Write(const std::string& rules) {
    return dir_.Write("mine.textproto", "name: 'mine'\n" + rules);
  }
  test::ScratchDir dir_;
};

TEST_F(InferPolicyCheck, SaysWhatEachRuleDoes) {
  const std::string text = OutputOf("infer-policy", {"check", "tutorial"});
  EXPECT_THAT(text, HasSubstr("regimes  T = 1..3, 4..7, 8.."));
  EXPECT_THAT(text, HasSubstr("metal is unavailable: "));
  const Json json =
      Json::parse(OutputOf("infer-policy", {"check", "tutorial", "--format", "json"}));
  EXPECT_EQ(json["regimes"][1]["min_tokens"], 4);
  EXPECT_EQ(json["rules"][0]["name"], "linear-gpu");
  EXPECT_GT(json["rules"][0]["nodes"], 0);
  EXPECT_EQ(json["findings"][0]["kind"], "unavailable");
  // Not moved to what is around it, cheap as that may be.
  if (DefaultPolicy() == "scalar") GTEST_SKIP() << "no vector kernels";
  EXPECT_EQ(json["rules"][6]["name"], "sum-of-squares");
  EXPECT_EQ(json["rules"][6]["targets"], Json::array({"parallel"}));
}

TEST_F(InferPolicyCheck, ReportsRulesThatDoNothing) {
  const std::string path = Write(
      "rule { name: 'deep' min_layer: 400 targets: [SCALAR] }\n"
      "rule { name: 'all' min_rows: 1 targets: [SCALAR] }\n"
      "rule { name: 'late' op: 'linear' targets: [SCALAR] }\n"
      "rule { name: 'rest' targets: [SCALAR] }\n");
  const std::string text = OutputOf("infer-policy", {"check", path});
  EXPECT_THAT(text,
              HasSubstr("deep  matches no node: none has layer >= 400; in this model it is 0 to "));
  EXPECT_THAT(text, HasSubstr("late  is shadowed: "));
  EXPECT_THAT(text, HasSubstr("rest  no node is left for it"));
  CapturedRun strict = RunNamed("infer-policy", {"check", path, "--strict"});
  EXPECT_EQ(strict.code, 3);
  EXPECT_THAT(strict.err, HasSubstr("rule deep: matches no node"));
}

// The same words as a warning of every tool that compiles.
TEST_F(InferPolicyCheck, TheCompilerReportsTheSame) {
  const std::string path = Write(
      "rule { name: 'ropes' op: 'softmax' targets: [SCALAR] }\n"
      "rule { name: 'rest' targets: [SCALAR] }\n");
  CapturedRun run = RunNamed("infer-compile", {"--policy", path, "--dry-run"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("rule ropes: matches no node: none has op softmax"));
  EXPECT_EQ(RunNamed("infer-compile", {"--policy", path, "--dry-run", "--strict"}).code, 3);
  CapturedRun named = RunNamed("infer-compile", {"--policy", "scalar", "--dry-run", "-ub", "1"});
  EXPECT_THAT(named.err, Not(HasSubstr("warning")));
}

TEST(Place, RulesComeBeforeThePolicysAndAreRecorded) {
  const std::string text =
      OutputOf("infer-compile", {"--policy", "scalar", "--place", "op=linear,layer>=1=simd",
                                 "--place", "op=linear=parallel", "--emit", "text"});
  EXPECT_THAT(text, HasSubstr("overrides = [\"place op=linear,layer>=1=simd\", \"place "
                              "op=linear=parallel\"]"));
  EXPECT_THAT(text, HasSubstr("source = override"));
}

TEST(Place, PointsAtWhatIsWrong) {
  CapturedRun run = RunNamed("infer-run", {"-p", "x", "--place", "op=linaer=simd"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("rule 'op=linaer=simd': character 1: the rule names the unknown "
                                 "op \"linaer\" (did you mean linear?)"));
  EXPECT_EQ(RunNamed("infer-compile", {"--dry-run", "--place", "simd", "--place", "simd"}).code, 2);
}

TEST(Place, ARuleThatMatchesNothingIsAWarningAndUnderStrictAnError) {
  std::vector<std::string> args = {"--dry-run", "--policy", "scalar", "--place",
                                   "layer>=400=scalar"};
  CapturedRun run = RunNamed("infer-compile", args);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("place layer>=400=scalar: matches no node"));
  args.push_back("--strict");
  EXPECT_EQ(RunNamed("infer-compile", args).code, 2);
}

TEST(Metal, IsReportedAsUnavailableWithWhatRunsInstead) {
  CapturedRun run = RunNamed("infer-compile", {"--dry-run", "--policy", "metal"});
  if (run.err.find("unavailable") == std::string::npos) GTEST_SKIP() << "this machine has Metal";
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("policy metal, rule many-rows: metal is unavailable: "));
  CapturedRun strict = RunNamed("infer-compile", {"--dry-run", "--policy", "metal", "--strict"});
  EXPECT_EQ(strict.code, 5);
  EXPECT_THAT(strict.err, HasSubstr("rule many-rows wants it on metal: "));
}

// The model is as good as any where the machine is what lacks something.
TEST(Metal, AloneInARuleIsNotTheModelsFault) {
  const TempDir dir;
  const std::string path = dir.Path("gpu.textproto");
  std::ofstream(path) << "name: 'gpu' rule { name: 'all' targets: [METAL] }";
  const CapturedRun run = RunNamed("infer-compile", {"--dry-run", "--policy", path});
  if (run.code == 0) GTEST_SKIP() << "this machine has Metal";
  EXPECT_EQ(run.code, 5);
  EXPECT_THAT(run.err, HasSubstr("error: policy " + path + ": node"));
  EXPECT_THAT(run.err, HasSubstr("no target of rule all runs it; metal: "));
  EXPECT_THAT(run.err, HasSubstr("add another target after it or choose another policy"));
  EXPECT_THAT(run.err, Not(HasSubstr("use the model in another type")));
}

TEST(GpuFlags, AreRules) {
  CapturedRun run = RunNamed("infer-compile", {"--dry-run", "-ngl", "2"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("gpu-layers 2: metal is unavailable"));
  EXPECT_THAT(run.err, HasSubstr("gpu-layers 2 (output): metal is unavailable"));
  const std::string text =
      OutputOf("infer-compile", {"--policy", "scalar", "-ot", "ffn_down=simd", "--emit", "text"});
  EXPECT_THAT(text, HasSubstr("overrides = [\"override-tensor ffn_down=simd\"]"));
  EXPECT_THAT(text, HasSubstr("rule = \"override-tensor ffn_down=simd\", source = override"));
  EXPECT_EQ(RunNamed("infer-compile", {"--dry-run", "-ot", "ffn"}).code, 2);
}

}  // namespace
}  // namespace infer
