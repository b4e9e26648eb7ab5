// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/node_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Case {
  std::string scope;
  std::vector<std::string> merged;
  std::string name;
};

TEST(NodeName, JoinsAllMembersAndComesApartAgain) {
  const Case cases[] = {
      {"", {}, ""},
      {"embed", {}, "embed"},
      {"layer.3/attn/q_proj",
       {"layer.3/attn/k_proj", "layer.3/attn/v_proj"},
       "layer.3/attn/q_proj+k_proj+v_proj"},
      {"layer.3/attn/residual", {"layer.3/ffn/norm"}, "layer.3/attn/residual+ffn/norm"},
      {"layer.3/ffn/residual", {"layer.4/attn/norm"}, "layer.3/ffn/residual+layer.4/attn/norm"},
      {"layer.27/ffn/residual", {"output/norm"}, "layer.27/ffn/residual+/output/norm"},
      {"layer.27/ffn/residual", {"norm"}, "layer.27/ffn/residual+/norm"},
      {"norm", {"layer.0/attn/norm"}, "norm+/layer.0/attn/norm"},
      {"one", {"two", "three"}, "one+two+three"},
      // Nothing that a stored file may hold is lost.
      {"", {"a", "b/c"}, "+a+/b/c"},
      {"a", {""}, "a+"},
      {"a/b", {"", "a/", "a//"}, "a/b+/++/a//"},
      {"a/b", {"/x", "a/b"}, "a/b+//x+b"},
      {"/a", {"/b", "c/d"}, "/a+b+c/d"},
      {"a//b", {"a//c", "a/x/c"}, "a//b+c+x/c"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(JoinScopes(c.scope, c.merged), c.name);
    const ScopeList list = SplitScopes(c.name);
    EXPECT_EQ(list.scope, c.scope) << c.name;
    EXPECT_EQ(list.merged_scopes, c.merged) << c.name;
  }
}

TEST(NodeName, APartLongerThanTheFirstMemberStandsAlone) {
  EXPECT_THAT(SplitScopes("a+b/c").merged_scopes, ElementsAre("b/c"));
  EXPECT_THAT(SplitScopes("a+b+/c/d").merged_scopes, ElementsAre("b", "c/d"));
  EXPECT_THAT(SplitScopes("a").merged_scopes, IsEmpty());
}

TEST(NodeName, OfANode) {
  Graph graph;
  Value x = graph.AddInput("x", ValueType::F32({2, 3}))->output();
  GraphBuilder b(&graph);
  Node* node = ops::Add(b.In("layer.0/attn/residual"), x, x).node;
  EXPECT_EQ(NodeName(*node), "layer.0/attn/residual");
  EXPECT_EQ(NodeNameInFolder(*node), "residual");
  node->set_merged_scopes({"layer.0/ffn/norm"});
  EXPECT_EQ(NodeName(*node), "layer.0/attn/residual+ffn/norm");
  EXPECT_EQ(NodeNameInFolder(*node), "residual+ffn/norm");
}

}  // namespace
}  // namespace infer
