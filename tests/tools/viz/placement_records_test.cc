// SPDX-License-Identifier: Apache-2.0
//
// Whoever asks why a node is where it is gets an answer: for every shipped policy, every regime and
// every node of the bundled model.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "passes/policies.h"
#include "tests/model/loaded_model.h"
#include "tools/report/placement_text.h"

namespace infer {
namespace {

class PlacementRecords : public ::testing::TestWithParam<std::string> {};

void ExpectWhole(const Program& program, const NodeView& view) {
  const Placement& placement = view.placement();
  const std::string& scope = view.node->scope();
  EXPECT_FALSE(placement.kernel.empty()) << scope;
  EXPECT_FALSE(placement.rule.empty()) << scope;
  EXPECT_FALSE(BecauseText(program, placement).empty()) << scope;
  std::set<Target> others;
  for (const Rejected& rejected : placement.rejected) {
    EXPECT_NE(rejected.target, placement.target) << scope;
    EXPECT_FALSE(rejected.text.empty()) << scope << " on " << Name(rejected.target);
    others.insert(rejected.target);
  }
  EXPECT_EQ(others.size(), kUserTargets.size() - 1) << scope;
  EXPECT_EQ(placement.rejected.size(), others.size()) << scope;
}

TEST_P(PlacementRecords, AreWholeForEveryNodeOfEveryRegime) {
  test::LoadedModel model("");
  CompileModelOptions options;
  options.policy = GetParam();
  options.hash = HashMode::kNone;
  Program program = model.Compile(options);
  ASSERT_FALSE(program.regimes.empty());
  for (const RegimeView& regime : ViewRegimes(program)) {
    size_t executed = 0;
    for (const Node* node : regime.regime->graph.nodes()) executed += IsExecuted(*node);
    EXPECT_EQ(regime.nodes.size(), executed) << "a node without a record";
    EXPECT_GT(executed, 0u);
    for (const NodeView& view : regime.nodes) ExpectWhole(program, view);
  }
}

std::vector<std::string> ShippedPolicies() {
  std::vector<std::string> names;
  for (const NamedPolicyText& policy : NamedPolicies()) names.emplace_back(policy.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Shipped, PlacementRecords, ::testing::ValuesIn(ShippedPolicies()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace infer
