// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/pass_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace infer {
namespace {

using Json = nlohmann::ordered_json;
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
