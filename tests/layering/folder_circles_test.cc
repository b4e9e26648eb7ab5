// SPDX-License-Identifier: Apache-2.0
#include "tests/layering/folder_circles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// "a b": a includes b.
FolderGraph GraphOf(const std::vector<std::string>& edges) {
  FolderGraph graph;
  for (const std::string& edge : edges) {
    const size_t space = edge.find(' ');
    graph[edge.substr(0, space)][edge.substr(space + 1)] = edge;
  }
  return graph;
}

TEST(FolderCircles, AreNoneWhereFoldersHaveAnOrder) {
  EXPECT_THAT(Circles({}), IsEmpty());
  EXPECT_THAT(Circles(GraphOf({"a b"})), IsEmpty());
  // Two ways to the same folder are not a circle.
  EXPECT_THAT(Circles(GraphOf({"a b", "a c", "b d", "c d", "d e"})), IsEmpty());
}

TEST(FolderCircles, FindsTwoThatIncludeEachOther) {
  EXPECT_THAT(Circles(GraphOf({"a b", "b a"})), ElementsAre(ElementsAre("a", "b")));
}

TEST(FolderCircles, FindsLongOnesAndLeavesOutWhatOnlyTouchesThem) {
  EXPECT_THAT(Circles(GraphOf({"a b", "b c", "c d", "d b", "d e"})),
              ElementsAre(ElementsAre("b", "c", "d")));
}

TEST(FolderCircles, JoinsThoseThatShareAFolderAndKeepsTheOthersApart) {
  EXPECT_THAT(Circles(GraphOf({"a b", "b a", "b c", "c b", "x y", "y x", "c x"})),
              ElementsAre(ElementsAre("a", "b", "c"), ElementsAre("x", "y")));
}

TEST(FolderCircles, AFolderAndItsSubfolderAreTwo) {
  EXPECT_EQ(FolderOf("ir/graph/graph.h"), "ir/graph");
  EXPECT_EQ(FolderOf("backends/backends.h"), "backends");
  EXPECT_EQ(FolderOf("backends/simd/isa/vec.h"), "backends/simd/isa");
  EXPECT_EQ(FolderOf("tools/api/include/infer/infer.h"), "tools/api/include");
  EXPECT_EQ(FolderOf("main.cc"), "");
  const std::vector<SourceFile> files = {
      {"a/x.h", {"a/sub/y.h"}}, {"a/sub/y.h", {}}, {"a/sub/y.cc", {"a/x.h", "a/sub/y.h"}}};
  EXPECT_THAT(Circles(FolderGraphOf(files)), ElementsAre(ElementsAre("a", "a/sub")));
}

TEST(FolderCircles, KnowsThePublicHeaderByItsInstalledPath) {
  const std::vector<SourceFile> files = {{"tools/api/include/infer/infer.h", {"ir/a.h"}},
                                         {"ir/a.h", {"infer/infer.h"}}};
  EXPECT_THAT(Circles(FolderGraphOf(files)), ElementsAre(ElementsAre("ir", "tools/api/include")));
}

TEST(FolderCircles, LeavesOutHeadersOfOthersAndOwnFolders) {
  const std::vector<SourceFile> files = {{"a/x.h", {"vector", "a/y.h", "b/generated.pb.h"}},
                                         {"a/y.h", {"a/x.h"}}};
  EXPECT_THAT(FolderGraphOf(files), IsEmpty());
}

TEST(FolderCircles, SaysWhichIncludesMakeACircle) {
  const std::vector<SourceFile> files = {
      {"a/x.cc", {"b/y.h"}}, {"b/y.h", {"a/z.h", "c/w.h"}}, {"a/z.h", {}}, {"c/w.h", {}}};
  const FolderGraph graph = FolderGraphOf(files);
  const std::string lines = LinesOf(graph, Circles(graph).at(0));
  EXPECT_THAT(lines, HasSubstr("a/x.cc includes b/y.h\n"));
  EXPECT_THAT(lines, HasSubstr("b/y.h includes a/z.h\n"));
  EXPECT_THAT(lines, Not(HasSubstr("c/w.h")));
}

}  // namespace
}  // namespace infer
