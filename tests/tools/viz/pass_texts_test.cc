// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/pass_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tests/support/sample_program.h"
#include "tools/passes/pass_log_key.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

const char* const kLog = R"({"schema_version": 1,
  "passes": [{"name": "fuse", "ms": 0.5, "before": 0, "after": 1}],
  "graphs": ["graph\n  %blk.0.w = weight()\n  %blk.1.w = weight()\n  %a = add() in \"layer.0/x\"\n",
             "graph\n  %a = add() in \"layer.1/x\"\n  %b = add() in \"embed\"\n"]})";

TEST(PassTexts, KeepsTheLinesOfSomeLayersEachOnce) {
  auto log = ParsePassLog(kLog, "log.json");
  ASSERT_TRUE(log.ok()) << log.status();
  Json json = PassTextsJson(*log, {0});
  EXPECT_EQ(json["graphs"], Json::parse("[[0, 1, 2], [0, 3]]"));
  EXPECT_EQ(json["lines"][1], "  %blk.0.w = weight()");
  EXPECT_EQ(json["lines"][3], "  %b = add() in \"embed\"");
  EXPECT_EQ(json["passes"][0]["ms"], 0.5);
}

TEST(PassTexts, KeepsTheStepsAndSlotsOfTheSameNodes) {
  const Json log = {{"passes", Json::array()},
                    {"graphs",
                     {"graph\n"
                      "  %0 = add(%x) in \"layer.0/x\"\n"
                      "  %1, %\"odd\" = add(%0) in \"layer.1/x\"\n"
                      "  plan {\n"
                      "    steps = [\n"
                      "        {node = %0, mode = serial},\n"
                      "        {node = %1, mode = serial, barrier_after = true},\n"
                      "      {value = %0, space = cpu},\n"
                      "      {value = %1, space = cpu},\n"
                      "      {value = %\"odd\", space = cpu, alias_of = %0}]\n"}}};
  const Json lines = PassTextsJson(log, {0})["lines"];
  EXPECT_EQ(lines,
            Json({"graph", "  %0 = add(%x) in \"layer.0/x\"", "  plan {", "    steps = [",
                  "        {node = %0, mode = serial},", "      {value = %0, space = cpu},"}));
}

// As a compiler logs it.
Json LogOf(const Program& program) {
  Json log = {{"program", PassLogKey(program)}, {"passes", Json::array()}, {"graphs", {""}}};
  for (const PassRecord& pass : program.passes) {
    log["passes"].push_back({{"name", pass.name},
                             {"regime", pass.regime},
                             {"ms", 1},
                             {"nodes_before", pass.nodes_before},
                             {"nodes_after", pass.nodes_after},
                             {"changed", pass.changed},
                             {"before", 0},
                             {"after", 0}});
  }
  return log;
}

TEST(PassTexts, KnowsTheLogOfTheProgram) {
  const Program program = test::SampleProgram();
  Json log = LogOf(program);
  EXPECT_EQ(CheckPassLogOf(program, "p.pb", log, "log.json"), absl::OkStatus());
  log.erase("program");  // then by the passes
  EXPECT_EQ(CheckPassLogOf(program, "p.pb", log, "log.json"), absl::OkStatus());
}

TEST(PassTexts, RefusesTheLogOfAnotherProgramAndNamesBoth) {
  const Program program = test::SampleProgram();
  auto expect_refusal = [&](const Json& log, std::initializer_list<std::string> parts) {
    absl::Status status = CheckPassLogOf(program, "p.pb", log, "log.json");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    for (const std::string& part : parts) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(part));
    }
  };
  Json other = LogOf(program);
  other["program"]["policy"] = "theirs";
  expect_refusal(other, {"log.json: is the pass log of another program", "policy theirs",
                         "p.pb has", "policy " + program.policy.name});
  other = LogOf(program);
  other["program"]["model"] = "x.gguf";
  other["program"]["header_hash"] = "77";
  expect_refusal(other, {"it has x.gguf (header 77)", program.model.files[0].name});
  other = LogOf(program);
  other["program"]["overrides"] = {"place op=add=simd"};
  expect_refusal(other, {"and place op=add=simd"});
  other["program"] = 7;
  expect_refusal(other, {"it has 7"});
  for (const char* field : {"name", "regime", "nodes_before", "nodes_after", "changed"}) {
    other = LogOf(program);
    other.erase("program");
    other["passes"][1].erase(field);
    expect_refusal(other, {"pass 2 ", field});
  }
  other["passes"].erase(0);
  expect_refusal(other, {StrCat("it has ", program.passes.size() - 1, " passes")});
}

TEST(PassTexts, RefusesWhatIsNoPassLog) {
  for (const char* text :
       {"", "[]", "{}", R"({"passes": [], "graphs": [1]})", R"({"passes": [{}], "graphs": []})",
        R"({"passes": [{"name": "a", "ms": 1, "before": 0, "after": 1}], "graphs": [""]})",
        R"({"passes": [{"name": "a", "ms": 1, "before": -1, "after": 0}], "graphs": [""]})"}) {
    auto log = ParsePassLog(text, "log.json");
    EXPECT_EQ(log.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(log.status().message()), HasSubstr("infer-compile --pass-log"));
  }
}

}  // namespace
}  // namespace infer
