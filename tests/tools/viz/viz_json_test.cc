// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/viz_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/base/json.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

class VizJsonOfModel : public ::testing::Test {
 protected:
  Json Emit(const std::string& policy) {
    CompileModelOptions options;
    options.policy = policy;
    program_ = model_.Compile(options);
    return Json::parse(VizJson({{"some/folder/p.pb", &program_}}));
  }
  test::LoadedModel model_{""};
  Program program_;
};

TEST_F(VizJsonOfModel, SaysWhatItIs) {
  Json json = Emit("tutorial");
  EXPECT_EQ(json["schema"], "infer-viz");
  EXPECT_EQ(json["schema_version"], kVizSchemaVersion);
  const Json& program = json["programs"][0];
  EXPECT_EQ(program["name"], "p.pb") << "no folder of the machine that made it";
  EXPECT_EQ(program["policy"]["name"], "tutorial");
  EXPECT_EQ(program["policy"]["rules"].size(), program_.policy.rules.size());
  EXPECT_EQ(program["symbols"]["T"], Json::parse("[1, 512]"));
  EXPECT_EQ(program["weights"].size(), program_.weights.size());
  EXPECT_EQ(program["states"].size(), 6u);
  EXPECT_EQ(program["passes"].size(), program_.passes.size());
  ASSERT_GE(program["regimes"].size(), 3u);
  EXPECT_EQ(program["regimes"][1]["tokens"], Json::parse("[4, 7]"));
}

TEST_F(VizJsonOfModel, ReferencesLeadToWhatIsThere) {
  const Json program = Emit("tutorial")["programs"][0];
  for (const Json& regime : program["regimes"]) {
    const size_t nodes = regime["nodes"].size();
    std::set<size_t> run_by_steps;
    for (const Json& segment : regime["segments"]) {
      for (const Json& step : segment["steps"]) run_by_steps.insert(step["node"].get<size_t>());
    }
    EXPECT_EQ(run_by_steps.size(), nodes);
    EXPECT_LT(*run_by_steps.rbegin(), nodes);
    for (const Json& run : regime["nodes"]) {
      const Json& node = program["nodes"].at(run["node"].get<size_t>());
      EXPECT_LT(node["kind"].get<size_t>(), program["kinds"].size());
      const Json& record = program["records"].at(run["record"].get<size_t>());
      EXPECT_EQ(record["rejected"].size(), kUserTargets.size() - 1);
      EXPECT_FALSE(record["because"].get<std::string>().empty());
      if (!node.contains("weights")) continue;
      for (const Json& w : node["weights"]) EXPECT_LT(w.get<size_t>(), program["weights"].size());
    }
    for (const Json& edge : regime["edges"]) {
      EXPECT_LT(edge[0].get<size_t>(), edge[2].get<size_t>());
      EXPECT_LT(edge[2].get<size_t>(), nodes);
    }
    for (const Json& slot : regime["slots"]) {
      EXPECT_LT(slot["node"].get<int64_t>(), static_cast<int64_t>(nodes));
      EXPECT_LE(slot["offset"].get<uint64_t>() + slot["bytes"].get<uint64_t>(),
                regime["arena_bytes"].get<uint64_t>());
    }
  }
}

TEST_F(VizJsonOfModel, RegimesShareTheirNodes) {
  const Json program = Emit("tutorial")["programs"][0];
  ASSERT_GE(program["regimes"].size(), 3u);
  EXPECT_EQ(program["nodes"].size(), program["regimes"][0]["nodes"].size());
}

TEST_F(VizJsonOfModel, FoldingHoldsEveryNodeOnce) {
  const Json program = Emit("simd")["programs"][0];
  int64_t folded = 0;
  for (const Json& group : program["fold"]["groups"]) {
    folded += std::max<int64_t>(1, static_cast<int64_t>(group["layers"].size()));
    EXPECT_EQ(group["nodes"].size(), program["regimes"].size());
    for (const auto& [target, flag] : group["place"].items()) {
      EXPECT_THAT(flag.get<std::string>(), ::testing::EndsWith("=" + target + "'"));
    }
  }
  EXPECT_EQ(folded, static_cast<int64_t>(program["regimes"][0]["nodes"].size()));
  std::set<int64_t> layers;
  for (const Json& group : program["fold"]["layers"]) {
    for (const Json& layer : group["layers"])
      EXPECT_TRUE(layers.insert(layer.get<int64_t>()).second);
  }
  EXPECT_EQ(layers.size(), 6u);
}

TEST_F(VizJsonOfModel, TheSameProgramGivesTheSameBytes) {
  Emit("simd");
  EXPECT_EQ(VizJson({{"p.pb", &program_}}), VizJson({{"p.pb", &program_}}));
}

}  // namespace
}  // namespace infer
