// SPDX-License-Identifier: Apache-2.0
#include "tools/report/layer_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "ir/base/strings.h"
#include "tools/report/quantity_text.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

// Items whose scopes live as long as the test.
class GroupNodesTest : public ::testing::Test {
 protected:
  void Add(int32_t column, std::string scope, std::string_view op, uint64_t signature,
           int32_t ordinal = 0) {
    scopes_.push_back(std::move(scope));
    items_.push_back({column, scopes_.back(), scopes_.back(), op, ordinal, signature});
  }
  // "attn/norm 0..1" for each group.
  std::vector<std::string> Grouped(int32_t columns) {
    std::vector<std::string> texts;
    for (const NodeGroup& group : GroupNodes(items_, columns)) {
      texts.push_back(group.layers.empty() ? group.scope
                                           : StrCat(group.scope, " ", LayersText(group.layers)));
    }
    return texts;
  }

  std::deque<std::string> scopes_;
  std::vector<ColumnNode> items_;
};

TEST_F(GroupNodesTest, JoinsWhatLayersShareAndKeepsTheRestApart) {
  Add(0, "embed", "embed", 1);
  for (int layer : {0, 1, 2, 3}) {
    Add(0, StrCat("layer.", layer, "/attn/norm"), "rms_norm", 5);
    Add(0, StrCat("layer.", layer, "/ffn/down"), "linear", layer == 2 ? 8 : 7);
  }
  Add(0, "output/norm", "rms_norm", 1);
  EXPECT_THAT(Grouped(1), ElementsAre("embed", "attn/norm 0..3", "ffn/down 0..1, 3", "ffn/down 2",
                                      "output/norm"));
}

TEST_F(GroupNodesTest, ANodeThatOneLayerHasStandsBehindItsNeighbour) {
  for (int layer : {0, 1}) {
    Add(0, StrCat("layer.", layer, "/attn/norm"), "rms_norm", 5);
    if (layer == 1) Add(0, "layer.1/attn/rows", "select_rows", 6);
    Add(0, StrCat("layer.", layer, "/attn/o_proj"), "linear", 7);
  }
  EXPECT_THAT(Grouped(1), ElementsAre("attn/norm 0..1", "attn/rows 1", "attn/o_proj 0..1"));
}

TEST_F(GroupNodesTest, AllColumnsMustAgree) {
  for (int32_t column : {0, 1}) {
    for (int layer : {0, 1, 2}) {
      Add(column, StrCat("layer.", layer, "/norm"), "rms_norm", column == 1 && layer == 1 ? 9 : 5);
    }
  }
  EXPECT_THAT(Grouped(2), ElementsAre("norm 0, 2", "norm 1"));
}

TEST_F(GroupNodesTest, JoinsColumnsThatHaveOtherNodes) {
  Add(0, "a", "x", 1);
  Add(0, "c", "x", 1);
  Add(1, "a", "x", 1);
  Add(1, "b", "x", 1);
  Add(1, "c", "x", 1);
  std::vector<NodeGroup> groups = GroupNodes(items_, 2);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[1].scope, "b");
  EXPECT_THAT(groups[1].items, ElementsAre(-1, 3));
  EXPECT_THAT(groups[2].items, ElementsAre(1, 4));
}

TEST_F(GroupNodesTest, NodesOfOneScopeAreToldApartByOpAndOrdinal) {
  Add(0, "layer.0/attn", "mul", 1, 0);
  Add(0, "layer.0/attn", "mul", 1, 1);
  Add(0, "layer.0/attn", "add", 1, 0);
  EXPECT_EQ(Grouped(1).size(), 3u);
}

TEST_F(GroupNodesTest, GroupsLayersThatConsistOfTheSame) {
  for (int layer : {0, 1, 2, 3}) {
    Add(0, StrCat("layer.", layer, "/norm"), "rms_norm", layer == 0 ? 1 : 5);
    Add(0, StrCat("layer.", layer, "/down"), "linear", 7);
  }
  std::vector<NodeGroup> groups = GroupNodes(items_, 1);
  std::vector<LayerGroup> layers = GroupLayers(groups);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_THAT(layers[0].layers, ElementsAre(0));
  EXPECT_THAT(layers[1].layers, ElementsAre(1, 2, 3));
  EXPECT_EQ(LargestGroup(layers), &layers[1]);
  EXPECT_EQ(LargestGroup({}), nullptr);
}

TEST(NodeGroup, NamesItsScopeWithTheLayersInIt) {
  NodeGroup group{"attn/norm", "layer.0/attn/norm", "rms_norm", 0, {0, 1}, {}};
  EXPECT_EQ(group.FullScope(), "layer.*/attn/norm");
  group.layers = {7};
  EXPECT_EQ(group.FullScope(), "layer.7/attn/norm");
  group.layers = {};
  EXPECT_EQ(group.FullScope(), "attn/norm");
}

TEST(NodeGroup, IsCalledByAllMembersOfAFusedNode) {
  NodeGroup group{
      "ffn/residual", "layer.3/ffn/residual+layer.4/attn/norm", "add_rms_norm", 0, {3, 5}, {}};
  EXPECT_EQ(group.FullName(), "layer.*/ffn/residual+layer.*/attn/norm");
  EXPECT_EQ(group.NameInLayer(), "ffn/residual+layer.*/attn/norm");
  EXPECT_EQ(group.FullScope(), "layer.*/ffn/residual") << "what --place is given";
  group.layers = {3};
  EXPECT_EQ(group.FullName(), "layer.3/ffn/residual+layer.4/attn/norm");
  EXPECT_EQ(group.NameInLayer(), "ffn/residual+layer.4/attn/norm");
  EXPECT_EQ(NameInAnyLayer("layer.12/attn/q+k"), "layer.*/attn/q+k");
  EXPECT_EQ(NameInAnyLayer("layered/norm+layer.x"), "layered/norm+layer.x");
}

TEST(WithoutLayer, LeavesTheRest) {
  EXPECT_EQ(WithoutLayer("layer.12/attn/norm"), "attn/norm");
  EXPECT_EQ(WithoutLayer("layer.12"), "");
  EXPECT_EQ(WithoutLayer("layered/norm"), "layered/norm");
}

}  // namespace
}  // namespace infer
