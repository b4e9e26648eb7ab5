// SPDX-License-Identifier: Apache-2.0
//
// The flags that an explanation offers do what it says: each is given to the compiler, and the node
// is where it was to go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/model/loaded_model.h"
#include "tools/explain/explain.h"

namespace infer {
namespace {

// What stands between the quotes of --place '...'.
std::string RuleOf(const std::string& flag) {
  size_t open = flag.find('\''), close = flag.rfind('\'');
  return flag.substr(open + 1, close - open - 1);
}

class PlaceFlags : public ::testing::TestWithParam<const char*> {
 protected:
  Program Compile(const std::vector<std::string>& place) {
    CompileModelOptions options;
    options.policy = GetParam();
    options.hash = HashMode::kNone;
    options.place = place;
    options.skip = {"smooth-placement"};  // it may take back what a flag did to a lone node
    return model_.Compile(options);
  }
  test::LoadedModel model_{""};
};

// Whether all that is left of the node runs on `target` for calls of so many tokens.
bool RunsOn(const Program& program, const Node& node, Target target, int64_t tokens) {
  const Graph& graph = program.regimes[RegimeOf(program, tokens)].graph;
  bool found = false;
  for (const Node* other : graph.nodes()) {
    if (!other->placement() || other->scope() != node.scope()) continue;
    bool same_op = other->op().name == node.op().name;
    if (same_op && other->placement()->target == target) return true;
    if (same_op) return false;
    found = found || other->placement()->target == target;  // its parts
  }
  return found;
}

TEST_P(PlaceFlags, MoveTheNode) {
  Program program = Compile({});
  absl::StatusOr<Explanation> explanation = Explain(program, model_.registry(), "all");
  ASSERT_TRUE(explanation.ok()) << explanation.status();
  std::map<std::string, Program> compiled;
  int tried = 0;
  for (const ExplainedNode& node : explanation->nodes) {
    for (const ExplainedSpan& span : node.spans) {
      for (const OtherTarget& other : span.others) {
        if (other.flag.empty()) continue;
        auto it = compiled.find(other.flag);
        if (it == compiled.end()) {
          it = compiled.emplace(other.flag, Compile({RuleOf(other.flag)})).first;
        }
        EXPECT_TRUE(RunsOn(it->second, *span.first->node, other.target, span.tokens.min))
            << other.flag << " at T = " << span.tokens.min;
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 10);
}

// A flag for a node that another one placed does nothing behind that one, and what it says before.
TEST_P(PlaceFlags, SayWhichFlagTheyMustComeBefore) {
  const std::string given = "op=linear,layer>=1=scalar";
  Program program = Compile({given});
  absl::StatusOr<Explanation> explanation = Explain(program, model_.registry(), "all");
  ASSERT_TRUE(explanation.ok()) << explanation.status();
  EXPECT_THAT(ToText(*explanation),
              ::testing::HasSubstr("\n              before place " + given + "\n"));
  int placed = 0, free = 0;
  for (const ExplainedNode& node : explanation->nodes) {
    const ExplainedSpan& span = node.spans[0];
    auto other = std::ranges::find_if(span.others, [](const auto& o) { return !o.flag.empty(); });
    if (other == span.others.end()) continue;
    const bool by_flag = span.first->placement().rule == "place " + given;
    EXPECT_EQ(other->before, by_flag ? "place " + given : "");
    if (++(by_flag ? placed : free) > 2) continue;
    auto moved = [&](const std::vector<std::string>& place) {
      return RunsOn(Compile(place), *span.first->node, other->target, span.tokens.min);
    };
    EXPECT_TRUE(moved({RuleOf(other->flag), given})) << other->flag;
    EXPECT_EQ(moved({given, RuleOf(other->flag)}), !by_flag) << other->flag;
  }
  EXPECT_GT(placed, 0);
  EXPECT_GT(free, 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, PlaceFlags, ::testing::Values("parallel", "simd", "tutorial"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace infer
