// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/layer_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/placement.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(DrawLayers, ShowsTheLayerAndWhereItsValuesComeFromAndGo) {
  Program program = test::SampleProgram();
  std::vector<RegimeView> regimes = ViewRegimes(program);
  Picture picture = DrawLayers(program, regimes[0], GroupProgram(regimes), std::vector<int64_t>{0});
  std::vector<std::string> titles;
  for (const PictureNode& node : picture.nodes) titles.push_back(node.title);
  for (const char* title :
       {"from embed", "kv cache", "rms_norm", "linear", "attention", "to rows"}) {
    EXPECT_THAT(titles, Contains(title));
  }
  for (const char* hidden : {"weight", "input", "embed"}) {
    EXPECT_THAT(titles, Not(Contains(hidden)));
  }
  for (const PictureEdge& edge : picture.edges) {
    EXPECT_LT(edge.from, edge.to);
    EXPECT_FALSE(edge.crosses);
  }
}

TEST(DrawLayers, MarksEdgesBetweenDevices) {
  Program program = test::SampleProgram();
  for (Node* node : program.regimes[0].graph.nodes()) {
    if (node->op().name != "attention") continue;
    Placement placement = *node->placement();
    placement.target = Target::kMetal;
    node->set_placement(placement);
  }
  std::vector<RegimeView> regimes = ViewRegimes(program);
  Picture picture = DrawLayers(program, regimes[0], GroupProgram(regimes), std::vector<int64_t>{0});
  auto crossing = std::ranges::count_if(picture.edges, &PictureEdge::crosses);
  EXPECT_EQ(crossing, 3);  // its two inputs and its result
}

}  // namespace
}  // namespace infer
