// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/choice_json.h"

#include <gtest/gtest.h>

#include "ir/base/json.h"
#include "tests/model/loaded_model.h"
#include "tools/viz/viz_json.h"

namespace infer {
namespace {

class Choices : public ::testing::Test {
 protected:
  Json Emit(const std::string& policy) {
    CompileModelOptions options;
    options.policy = policy;
    program_ = model_.Compile(options);
    return Json::parse(VizJson({{"p.pb", &program_}}))["programs"][0];
  }
  test::LoadedModel model_{""};
  Program program_;
};

TEST_F(Choices, EveryNodeHasOneThatAllowsItsPlacement) {
  const Json program = Emit("tutorial");
  for (const Json& regime : program["regimes"]) {
    for (const Json& node : regime["nodes"]) {
      const Json& choice = program["choices"].at(node["choice"].get<size_t>());
      const Json& record = program["records"][node["record"].get<size_t>()];
      bool named = false;
      for (size_t rule : choice["rules"]) {
        named |= program["policy"]["rules"][rule]["name"] == record["rule"];
      }
      EXPECT_TRUE(named) << node;
      bool has_kernel = false;
      for (size_t at :
           program["kernel_choices"][choice["kernel_choice"].get<size_t>()]["kernels"]) {
        const Json& kernel = program["kernels"][at];
        has_kernel |= kernel["name"] == record["kernel"] && kernel["target"] == record["target"];
      }
      EXPECT_TRUE(has_kernel) << node << choice;
    }
  }
}

TEST_F(Choices, AreSharedByLayers) {
  const Json program = Emit("parallel");
  EXPECT_LT(program["choices"].size(), program["regimes"][0]["nodes"].size() / 2);
}

TEST_F(Choices, HaveEstimatesForEachPointOfTheGrid) {
  const Json program = Emit("parallel");
  const size_t points = program["estimate_tokens"].size();
  EXPECT_EQ(program["estimate_tokens"].back(), 512);
  for (const Json& choice : program["choices"]) {
    for (const Json& rows : choice["estimates"]) {
      ASSERT_TRUE(rows.size() == 1 || rows.size() == 2);
      for (const Json& row : rows) EXPECT_EQ(row.size(), points);
    }
  }
}

TEST_F(Choices, HaveTheRowLimitsThatTheProgramSays) {
  CompileModelOptions options;
  program_ = model_.Compile(options);
  program_.kernels[0].min_rows = 3;
  program_.kernels[0].max_rows = 70;
  const Json program = Json::parse(VizJson({{"p.pb", &program_}}))["programs"][0];
  EXPECT_EQ(program["kernels"][0]["name"], program_.kernels[0].name);
  EXPECT_EQ(program["kernels"][0]["rows"], Json({3, 70}));
  EXPECT_EQ(program["kernels"][1]["rows"], Json({1, nullptr}));
}

TEST_F(Choices, AreLeftOutWithoutKernelChoices) {
  CompileModelOptions options;
  program_ = model_.Compile(options);
  program_.kernel_choices.clear();
  for (Regime& regime : program_.regimes) regime.kernel_choices.clear();
  const Json program = Json::parse(VizJson({{"p.pb", &program_}}))["programs"][0];
  EXPECT_FALSE(program.contains("choices"));
  EXPECT_FALSE(program["regimes"][0]["nodes"][0].contains("choice"));
}

}  // namespace
}  // namespace infer
