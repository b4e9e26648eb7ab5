// SPDX-License-Identifier: Apache-2.0
#include "tools/report/program_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/loaded_model.h"
#include "tests/support/sample_program.h"
#include "tools/viz/dot.h"
#include "tools/viz/html.h"
#include "tools/viz/layer_picture.h"
#include "tools/viz/svg.h"
#include "tools/viz/text_tree.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(ProgramHead, SaysNothingOfWhatIsNotThere) {
  Program program = test::SampleProgram();
  program.overrides = {};
  program.machine = {};
  EXPECT_THAT(PlacedLines(program), IsEmpty());
  EXPECT_THAT(PlacedCaptions(program), IsEmpty());
}

TEST(ProgramHead, HasALineForEachFlagInTheirOrder) {
  Program program = test::SampleProgram();
  program.overrides = {"place op=linear=simd", "gpu-layers 2"};
  program.machine = {};
  EXPECT_THAT(PlacedCaptions(program),
              ElementsAre("placed place op=linear=simd", "placed gpu-layers 2"));
  EXPECT_THAT(HeadText(program, 9),
              HasSubstr("\nplaced   place op=linear=simd\nplaced   gpu-layers 2\n"));
}

// Every form that shows where nodes run says what put them there.
TEST(ProgramHead, IsInEveryForm) {
  test::LoadedModel model("");
  CompileModelOptions options;
  options.hash = HashMode::kNone;
  options.place = {"op=linear,rows<8=simd"};
  Program program = model.Compile(options);
  const std::string placed = "placed place op=linear,rows<8=simd", machine = "machine generic, ";
  std::vector<RegimeView> regimes = ViewRegimes(program);
  Picture picture = DrawLayers(program, regimes[0], GroupProgram(regimes), std::vector<int64_t>{0});
  EXPECT_THAT(picture.captions, ElementsAre(placed, StartsWith(machine)));
  EXPECT_THAT(DotText(picture), HasSubstr(placed + "\\n" + machine));
  std::string svg = SvgText(picture);
  EXPECT_THAT(svg, HasSubstr(">placed place op=linear,rows&lt;8=simd</text>"));
  EXPECT_THAT(svg, HasSubstr(">" + machine));
  std::string page = HtmlText({{"p.pb", &program}});
  EXPECT_THAT(page, HasSubstr("</h2><p>placed place op=linear,rows&lt;8=simd</p><p>" + machine));
  EXPECT_THAT(TextTree(program, {}),
              HasSubstr("placed   place op=linear,rows<8=simd\nmachine  generic, "));
}

}  // namespace
}  // namespace infer
