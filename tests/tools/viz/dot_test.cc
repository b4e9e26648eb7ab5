// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_program.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(Dot, HasClustersNodesAndEdges) {
  Program program = test::SampleProgram();
  std::vector<RegimeView> regimes = ViewRegimes(program);
  GroupedProgram grouped = GroupProgram(regimes);
  Picture picture = DrawLayers(program, regimes[0], grouped, std::vector<int64_t>{0});
  picture.edges[0].crosses = true;
  picture.nodes[0].title = "a \"b\" \\";
  std::string dot = DotText(picture);
  EXPECT_THAT(dot, ::testing::StartsWith("digraph layer {"));
  EXPECT_THAT(dot, ::testing::EndsWith("}\n"));
  EXPECT_THAT(dot, HasSubstr("label=\"layer.0/attn\""));
  EXPECT_THAT(dot, HasSubstr("attention\\n"));
  EXPECT_THAT(dot, HasSubstr("a \\\"b\\\" \\\\"));
  EXPECT_THAT(dot, HasSubstr("color=\"#d55e00\""));
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
}

}  // namespace
}  // namespace infer
