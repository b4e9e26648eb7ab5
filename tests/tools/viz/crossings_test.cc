// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/crossings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/json.h"
#include "ir/verify/verifier.h"
#include "tests/support/sample_program.h"
#include "tools/report/layer_groups.h"
#include "tools/viz/dot.h"
#include "tools/viz/layer_picture.h"
#include "tools/viz/svg.h"
#include "tools/viz/text_tree.h"
#include "tools/viz/viz_json.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// q_proj reads f32[T,64] and gives f32[T,64], T = 1..4 in the first regime.
class Crossings : public ::testing::TestWithParam<bool> {
 protected:
  bool shares_memory() const { return GetParam(); }
  std::string Drawn(std::string (*draw)(const Picture&)) const {
    GroupedProgram grouped = GroupProgram(regimes_);
    return draw(DrawLayers(program_, regimes_[0], grouped, std::vector<int64_t>{0}));
  }
  Program program_ = test::SampleProgramOnTwoDevices(GetParam());
  std::vector<RegimeView> regimes_ = ViewRegimes(program_);
};

INSTANTIATE_TEST_SUITE_P(Memory, Crossings, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Shared" : "ItsOwn"; });

TEST_P(Crossings, TheSampleIsAProgram) { EXPECT_EQ(Verify(program_), absl::OkStatus()); }

TEST_P(Crossings, AreCountedByDevices) {
  std::vector<Crossing> crossings = CrossingsOf(regimes_[0]);
  ASSERT_THAT(crossings, SizeIs(2));
  EXPECT_EQ(crossings[0].from, Device::kCpu);
  EXPECT_EQ(crossings[0].to, Device::kMetal);
  for (const Crossing& crossing : crossings) {
    EXPECT_EQ(crossing.boundaries, 1);
    EXPECT_EQ(crossing.copies, shares_memory() ? 0 : 1);
    EXPECT_EQ(crossing.copied_bytes_min, shares_memory() ? 0 : 256);
    EXPECT_EQ(crossing.copied_bytes_max, shares_memory() ? 0 : 1024);
    EXPECT_EQ(crossing.shared, shares_memory() ? 1 : 0);
    EXPECT_EQ(crossing.shared_bytes_max, shares_memory() ? 1024 : 0);
  }
}

TEST_P(Crossings, AreInTheTree) {
  std::string text = TextTree(program_, {});
  EXPECT_THAT(text, HasSubstr("between devices\n"));
  EXPECT_THAT(text, HasSubstr(shares_memory() ? "T 1..4   cpu → metal 1 time: 256 B..1.00 KiB in "
                                                "shared memory, nothing copied\n"
                                              : "T 1..4   cpu → metal 1 time: 1 copy, 256 B..1.00 "
                                                "KiB\n"));
}

TEST_P(Crossings, AreInTheDrawings) {
  EXPECT_THAT(Drawn(SvgText), HasSubstr(shares_memory() ? "1.00 KiB shared" : "1.00 KiB</text>"));
  EXPECT_THAT(Drawn(SvgText), HasSubstr("stroke-dasharray=\"2 3\"")) << "the border of metal";
  const std::string dot = Drawn(DotText);
  EXPECT_THAT(dot, HasSubstr("label=\"1.00 KiB"));
  EXPECT_EQ(dot.find("style=dashed, label=\"1.00 KiB shared\"") != std::string::npos,
            shares_memory());
}

TEST_P(Crossings, AreInTheDocument) {
  const Json document = Json::parse(VizJson({{"p.pb", &program_}}));
  const Json& regime = document["programs"][0]["regimes"][0];
  ASSERT_THAT(regime["crossings"], SizeIs(2));
  EXPECT_EQ(regime["crossings"][0]["copied_bytes"],
            shares_memory() ? Json({0, 0}) : Json({256, 1024}));
  ASSERT_THAT(regime["segments"], SizeIs(3));
  EXPECT_EQ(regime["segments"][1]["device"], "metal");
  EXPECT_EQ(regime["segments"][1]["space"], shares_memory() ? "cpu" : "metal");
  std::map<int, int> kinds;
  for (const Json& edge : regime["edges"]) ++kinds[edge[5].get<int>()];
  EXPECT_EQ(kinds[shares_memory() ? 2 : 1], 3) << "one to q_proj, two from it";
  EXPECT_EQ(kinds[shares_memory() ? 1 : 2], 0);
}

TEST(CrossingsOfOneDevice, AreNone) {
  Program program = test::SampleProgram();
  EXPECT_THAT(CrossingsOf(ViewRegimes(program)[0]), IsEmpty());
  EXPECT_THAT(TextTree(program, {}), Not(HasSubstr("between devices")));
}

}  // namespace
}  // namespace infer
