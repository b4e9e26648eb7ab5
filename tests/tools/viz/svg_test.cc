// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_program.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Svg : public ::testing::Test {
 protected:
  Picture Draw() {
    grouped_ = GroupProgram(regimes_);
    return DrawLayers(program_, regimes_[0], grouped_, std::vector<int64_t>{0});
  }
  static size_t Count(const std::string& text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }

  Program program_ = test::SampleProgram();
  std::vector<RegimeView> regimes_ = ViewRegimes(program_);
  GroupedProgram grouped_;
};

TEST_F(Svg, HasABoxForEachNodeAndAnArrowForEachEdge) {
  Picture picture = Draw();
  std::string svg = SvgText(picture);
  EXPECT_EQ(Count(svg, "<g>"), picture.nodes.size());
  EXPECT_EQ(Count(svg, "marker-end"), picture.edges.size());
  EXPECT_THAT(svg, HasSubstr(">attention<"));
  EXPECT_THAT(svg, HasSubstr("scalar · attention_scalar"));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"cross\"")));
}

TEST_F(Svg, StandsAlone) {
  std::string svg = SvgText(Draw());
  EXPECT_THAT(svg, ::testing::StartsWith("<svg xmlns="));
  for (const char* part : {"<script", "href", "@import", "url(http"}) {
    EXPECT_THAT(svg, Not(HasSubstr(part)));
  }
}

TEST_F(Svg, MarksEdgesBetweenDevicesWithTheirBytes) {
  Picture picture = Draw();
  picture.edges[1].crosses = true;
  picture.edges[1].bytes = 2048;
  std::string svg = SvgText(picture);
  EXPECT_EQ(Count(svg, "class=\"cross\""), 1u);
  EXPECT_THAT(svg, HasSubstr("class=\"bytes\">2.00 KiB<"));
}

TEST_F(Svg, EscapesWhatNamesMayHold) {
  Picture picture = Draw();
  picture.title = "<b>&\"\x01";
  std::string svg = SvgText(picture);
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;&amp;&quot; "));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

}  // namespace
}  // namespace infer
