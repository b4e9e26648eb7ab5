// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "tests/model/loaded_model.h"
#include "tools/cli/exit_code.h"
#include "tools/report/quantity_text.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ExplainModel : public ::testing::Test {
 protected:
  Explanation Why(const std::string& policy, const std::string& what) {
    CompileModelOptions options;
    options.policy = policy;
    options.hash = HashMode::kNone;
    program_ = model_.Compile(options);
    absl::StatusOr<Explanation> explanation = Explain(program_, model_.registry(), what);
    EXPECT_TRUE(explanation.ok()) << explanation.status();
    return std::move(*explanation);
  }
  test::LoadedModel model_{""};
  Program program_;
};

TEST_F(ExplainModel, TellsTheNumbersThatDecided) {
  Explanation explanation = Why("tutorial", "layer.0/attn/o_proj");
  const ExplainedNode* linear = nullptr;
  for (const ExplainedNode& node : explanation.nodes) {
    if (node.group->op == "linear") linear = &node;
  }
  ASSERT_NE(linear, nullptr);
  ASSERT_GE(linear->spans.size(), 3u);  // more where kernels for many rows begin later
  EXPECT_EQ(linear->spans[0].first->placement().rule, "linear-one-core");
  ASSERT_EQ(linear->spans[0].passed_over.size(), 2u);
  EXPECT_EQ(PassedOverText(linear->spans[0].passed_over[0]), "linear-gpu wants rows >= 8: 1..3");
  EXPECT_EQ(linear->spans[1].because, "op linear, rows >= 4: 4..7");
  EXPECT_THAT(linear->spans[2].because, HasSubstr("op linear, rows >= 8: 8.."));
  for (const ExplainedSpan& span : linear->spans) EXPECT_EQ(span.others.size(), 4u);
  EXPECT_GT(linear->spans[2].flops_max, linear->spans[2].flops_min);
}

TEST_F(ExplainModel, NamesTheMachineAndWhatACallTakes) {
  Explanation explanation = Why("tutorial", "embed");
  const std::string text = ToText(explanation);
  EXPECT_THAT(text, HasSubstr("\nmachine generic, made up for 4 threads: estimates are rough"));
  // The totals of the table that infer-compile prints, though one node alone was asked for.
  const RegimeTotals totals = ViewRegimes(program_)[0].totals;
  EXPECT_THAT(text, HasSubstr("\ncalls   T 1..3 " + SpanText(TimeText(totals.estimate_ns_min),
                                                             TimeText(totals.estimate_ns_max))));
  const auto json = nlohmann::json::parse(ToJson(explanation));
  EXPECT_EQ(json["calls"][0]["estimate_ns"][0], totals.estimate_ns_min);
  EXPECT_EQ(json["calls"][2]["tokens"][0], 8);
  EXPECT_EQ(json["calls"].back()["tokens"][1], 512);
}

TEST_F(ExplainModel, JoinsRegimesThatDecideAlike) {
  Explanation explanation = Why("tutorial", "embed");
  ASSERT_EQ(explanation.nodes.size(), 1u);
  ASSERT_EQ(explanation.nodes[0].spans.size(), 1u);
  EXPECT_EQ(explanation.nodes[0].spans[0].tokens, (Range{1, 512}));
}

TEST_F(ExplainModel, FindsNodesByManyNames) {
  auto layers = [&](const std::string& what) {
    std::vector<std::string> found;
    for (const ExplainedNode& node : Why("simd", what).nodes) {
      found.push_back(node.group->FullScope());
    }
    return found;
  };
  EXPECT_THAT(layers("attention"), ElementsAre("layer.*/attn/attention"));
  EXPECT_THAT(layers("layer.3/attn/attention"), ElementsAre("layer.3/attn/attention"));
  EXPECT_THAT(layers("%layer.3.attn.attention"), ElementsAre("layer.3/attn/attention"));
  EXPECT_THAT(layers("attn/att*"), ElementsAre("layer.*/attn/attention"));
  EXPECT_THAT(layers("k_proj"), ElementsAre("layer.*/attn/q_proj")) << "merged into it";
  EXPECT_THAT(layers("q_proj+k_proj+v_proj"), ElementsAre("layer.*/attn/q_proj")) << "its name";
  EXPECT_THAT(layers("embed"), ElementsAre("embed"));
  EXPECT_EQ(layers("layer.3/ffn").size(), 5u);
  EXPECT_EQ(layers("layer.3").size(), 9u);
  Explanation by_name = Why("simd", "layer.2/ffn/norm");
  EXPECT_THAT(layers(IdText(by_name.nodes[0].spans[0].first->id)),
              ElementsAre("layer.2/attn/residual"));
}

TEST_F(ExplainModel, AnUnknownNameIsAUsageErrorWithTheNearest) {
  Why("simd", "all");
  absl::Status status = Explain(program_, model_.registry(), "q_prj").status();
  EXPECT_EQ(ExitCodeFor(status), kExitUsage);
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean q_proj?"));
  EXPECT_FALSE(Explain(program_, model_.registry(), "").ok());
}

TEST_F(ExplainModel, EveryBlockOfTheTextFitsATerminal) {
  for (const char* policy : {"tutorial", "parallel", "reference"}) {
    std::istringstream lines(ToText(Why(policy, "all")));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(DisplayColumns(line), 100u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST_F(ExplainModel, TextGroupsLayersAndNodesThatWereDecidedAlike) {
  std::string text = ToText(Why("tutorial", "all"));
  EXPECT_THAT(text, HasSubstr("(layers 0..5)"));
  EXPECT_THAT(text, HasSubstr("attn/q_proj+k_proj+v_proj  3 nodes: linear x3  (layers 0..5)"));
  EXPECT_THAT(text, HasSubstr("to move   --place 'name=layer.*/attn/q_proj=scalar', or ="));
  EXPECT_THAT(text, Not(HasSubstr("layer.4")));
}

// As round-parts leaves calls of many tokens, on a CPU with tiles.
TEST_F(ExplainModel, SaysForEachRegimeHowAValueIsSent) {
  CompileModelOptions options = {.policy = "tutorial"};
  options.shard.ranks = 2;
  program_ = model_.Compile(options);
  ASSERT_GE(program_.regimes.size(), 2u);
  const std::string before =
      ToText(*Explain(program_, model_.registry(), "layer.0/attn/attention"));
  EXPECT_THAT(before, Not(HasSubstr("rounded by a test")));
  for (Node* node : program_.regimes.back().graph.NodesOf(ops::kAllGather)) {
    if (node->scope() != "layer.0/attn/attention") continue;
    if (node->result().type.is_tensor(DType::kF32)) ops::StayRounded(node, 0, "rounded by a test");
  }
  const Explanation explanation = *Explain(program_, model_.registry(), "layer.0/attn/attention");
  const std::string text = ToText(explanation);
  const size_t shard = text.find("shard     collects what 2 ranks have");
  const size_t rounded = text.rfind("bf16[T,256]");
  ASSERT_NE(shard, std::string::npos) << text;
  ASSERT_NE(rounded, std::string::npos) << text;
  EXPECT_LT(shard, rounded) << text;
  const nlohmann::json json = nlohmann::json::parse(ToJson(explanation));
  int gathers = 0;
  for (const nlohmann::json& node : json["nodes"]) {
    if (node["op"] != "all_gather") continue;
    ++gathers;
    EXPECT_EQ(node["results"], nlohmann::json({"f32[T,256]"}));
    EXPECT_EQ(node["decisions"].back()["results"], nlohmann::json({"bf16[T,256]"}));
    EXPECT_THAT(node["decisions"].back()["shard"].get<std::string>(), HasSubstr("rounded"));
  }
  EXPECT_GT(gathers, 0);
}

TEST_F(ExplainModel, JsonTellsEveryNode) {
  Explanation explanation = Why("tutorial", "all");
  nlohmann::json json = nlohmann::json::parse(ToJson(explanation));
  ASSERT_EQ(json["nodes"].size(), explanation.grouped.groups.size());
  for (const nlohmann::json& node : json["nodes"]) {
    for (const nlohmann::json& decision : node["decisions"]) {
      EXPECT_EQ(decision["others"].size(), 4u) << node["scope"];
      EXPECT_FALSE(decision["kernel"].get<std::string>().empty());
      for (const nlohmann::json& other : decision["others"]) {
        EXPECT_EQ(other["can_run"].get<bool>(), other.contains("place"));
      }
    }
  }
}

}  // namespace
}  // namespace infer
