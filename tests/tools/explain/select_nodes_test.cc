// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/select_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "ir/policy/place_rule.h"
#include "passes/node_facts.h"
#include "tests/model/loaded_model.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SelectNodesTest : public ::testing::Test {
 protected:
  SelectNodesTest() {
    CompileModelOptions options;
    options.policy = "parallel";
    options.hash = HashMode::kNone;
    program_ = model_.Compile(options);
    regimes_ = ViewRegimes(program_);
  }

  std::set<uint64_t> Select(const std::string& what) {
    absl::StatusOr<std::set<uint64_t>> ids = SelectNodes(regimes_, what);
    EXPECT_TRUE(ids.ok()) << ids.status();
    return ids.value_or(std::set<uint64_t>());
  }
  std::vector<std::string> ScopesOf(const std::string& what) {
    const std::set<uint64_t> ids = Select(what);
    std::vector<std::string> scopes;
    for (const NodeView& view : regimes_[0].nodes) {
      if (ids.contains(view.id)) scopes.emplace_back(view.node->scope());
    }
    return scopes;
  }
  // What a rule of --place matches.
  std::set<uint64_t> Placed(const std::string& predicates) {
    absl::StatusOr<Rule> rule = ParsePlaceRule(predicates + "=simd");
    EXPECT_TRUE(rule.ok()) << rule.status();
    std::set<uint64_t> ids;
    for (const NodeView& view : regimes_[0].nodes) {
      if (NamesMatch(*rule, FactsOf(*view.node))) ids.insert(view.id);
    }
    EXPECT_FALSE(ids.empty()) << predicates;
    return ids;
  }
  std::string Refusal(const std::string& what) {
    const absl::Status status = SelectNodes(regimes_, what).status();
    EXPECT_EQ(ExitCodeFor(status), kExitUsage);
    return std::string(status.message());
  }

  test::LoadedModel model_{""};
  Program program_;
  std::vector<RegimeView> regimes_;
};

TEST_F(SelectNodesTest, AnOpIsTheFamilyThatARuleMeans) {
  for (const char* op : {"linear", "rope", "rms_norm", "*linear*"}) {
    EXPECT_EQ(Select(op), Placed(std::string("op=") + op)) << op;
  }
}

TEST_F(SelectNodesTest, AWeightIsWhatReadsIt) {
  for (const char* weight :
       {"blk.0.attn_q.weight", "blk.*.ffn_down.weight", "output_norm.weight"}) {
    EXPECT_EQ(Select(weight), Placed(std::string("name=") + weight)) << weight;
  }
  EXPECT_THAT(ScopesOf("blk.3.ffn_norm.weight"), ElementsAre("layer.3/attn/residual"));
}

TEST_F(SelectNodesTest, NamesWhatIsNearest) {
  EXPECT_THAT(Refusal("blk.0.atn_q.weight"), HasSubstr("(did you mean blk.0.attn_q.weight?)"));
  EXPECT_THAT(Refusal("blk.99.*"), HasSubstr("(did you mean blk.0."));
  EXPECT_THAT(Refusal("liner"), HasSubstr("(did you mean linear?)"));
  EXPECT_THAT(Refusal("exps"), HasSubstr("or reads this weight; --explain all lists them"));
}

}  // namespace
}  // namespace infer
