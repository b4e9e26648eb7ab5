// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace infer {
namespace {

void ExpectNoOverlap(const std::vector<LayoutNode>& nodes, const Layout& layout) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_GE(layout.centers[i].x - nodes[i].width / 2, -1e-6);
    EXPECT_LE(layout.centers[i].x + nodes[i].width / 2, layout.width + 1e-6);
    for (size_t j = 0; j < i; ++j) {
      double apart_x = std::abs(layout.centers[i].x - layout.centers[j].x) -
                       (nodes[i].width + nodes[j].width) / 2;
      double apart_y = std::abs(layout.centers[i].y - layout.centers[j].y) -
                       (nodes[i].height + nodes[j].height) / 2;
      EXPECT_TRUE(apart_x > -1e-6 || apart_y > -1e-6) << i << " and " << j;
    }
  }
}

TEST(LayOut, PutsAChainInOneColumnWithTheSkippingEdgeBesideIt) {
  std::vector<LayoutNode> nodes = {{80, 20}, {120, 40}, {100, 40}, {90, 30}};
  std::vector<LayoutEdge> edges = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  Layout layout = LayOut(nodes, edges);
  ExpectNoOverlap(nodes, layout);
  for (int i = 1; i < 4; ++i) {
    EXPECT_NEAR(layout.centers[i].x, layout.centers[0].x, 1);
    EXPECT_GT(layout.centers[i].y, layout.centers[i - 1].y);
  }
  // Past the nodes that it skips, not through them.
  for (size_t k = 1; k + 1 < layout.routes[3].size(); ++k) {
    EXPECT_GT(std::abs(layout.routes[3][k].x - layout.centers[1].x), 60);
  }
}

TEST(LayOut, AnAsideDoesNotMoveTheMainLine) {
  std::vector<LayoutNode> nodes = {{60, 20, true}, {100, 40}, {100, 40}};
  Layout layout = LayOut(nodes, std::vector<LayoutEdge>{{1, 2}, {0, 2}});
  ExpectNoOverlap(nodes, layout);
  EXPECT_NEAR(layout.centers[1].x, layout.centers[2].x, 1);
  EXPECT_EQ(layout.centers[0].y, layout.centers[1].y);  // just above its reader
}

TEST(LayOut, RandomGraphsLeadDownwardsAndDoNotOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<LayoutNode> nodes;
    std::vector<LayoutEdge> edges;
    int32_t count = 1 + static_cast<int32_t>(random() % 20);
    for (int32_t i = 0; i < count; ++i) {
      nodes.push_back({20.0 + static_cast<double>(random() % 150), 20.0, false});
      for (int32_t j = 0; j < i; ++j) {
        if (random() % 4 == 0) edges.push_back({j, i});
      }
    }
    Layout layout = LayOut(nodes, edges);
    ExpectNoOverlap(nodes, layout);
    ASSERT_EQ(layout.routes.size(), edges.size());
    for (size_t i = 0; i < edges.size(); ++i) {
      EXPECT_LT(layout.routes[i].front().y, layout.routes[i].back().y);
      EXPECT_DOUBLE_EQ(layout.routes[i].back().x, layout.centers[edges[i].to].x);
    }
  }
}

TEST(LayOut, TakesAnEmptyGraph) { EXPECT_EQ(LayOut({}, {}).width, 0); }

}  // namespace
}  // namespace infer
