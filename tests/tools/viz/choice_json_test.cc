// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/choice_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/backends.h"
#include "tests/model/loaded_model.h"
#include "tools/viz/viz_json.h"

namespace infer {
namespace {

using Json = nlohmann::json;

class Choices : public ::testing::Test {
 protected:
  Json Emit(const std::string& policy) {
    CompileModelOptions options;
    options.policy = policy;
    program_ = model_.Compile(options);
    NamedProgram named{.name = "p.pb", .program = &program_, .catalog = registry_.get()};
    return Json::parse(VizJson({named}))["programs"][0];
  }
  infer::testing::LoadedModel model_{""};
  std::unique_ptr<KernelRegistry> registry_ = MakeKernelRegistry();
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
      std::string target = record["target"];
      bool has_kernel = false;
      for (const Json& kernel : choice["support"][target]["kernels"]) {
        has_kernel |= kernel[0] == record["kernel"];
      }
      EXPECT_TRUE(has_kernel) << node << choice["support"];
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

TEST_F(Choices, AreLeftOutWithoutACatalog) {
  CompileModelOptions options;
  program_ = model_.Compile(options);
  const Json program = Json::parse(VizJson({{"p.pb", &program_}}))["programs"][0];
  EXPECT_FALSE(program.contains("choices"));
  EXPECT_FALSE(program["regimes"][0]["nodes"][0].contains("choice"));
}

}  // namespace
}  // namespace infer
