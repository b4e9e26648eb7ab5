// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/text_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/model/loaded_model.h"
#include "tools/report/quantity_text.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TextTreeOfModel : public ::testing::Test {
 protected:
  Program Compile(const std::string& policy) {
    CompileModelOptions options;
    options.policy = policy;
    options.hash = HashMode::kNone;
    return model_.Compile(options);
  }
  test::LoadedModel model_{""};
};

TEST_F(TextTreeOfModel, FoldsEqualLayersAndTellsWhatDiffers) {
  std::string text = TextTree(Compile("scalar"), {});
  EXPECT_THAT(text, HasSubstr("layers 1..4  × 4\n├─ attn\n"));
  EXPECT_THAT(text, HasSubstr("layer 0  the same but for "));
  EXPECT_THAT(text, HasSubstr("layer 5  the same but for "));
  EXPECT_THAT(text, HasSubstr("\noutput\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST_F(TextTreeOfModel, HasAColumnForEachRegime) {
  Program program = Compile("tutorial");
  std::string text = TextTree(program, {});
  // A fourth, of CPUs with kernels for more than 16 rows, is too wide for the page.
  if (program.regimes.size() == 3) {
    EXPECT_THAT(text, HasSubstr("T 1..3    T 4..7    T 8..512"));
  }
  EXPECT_THAT(text, HasSubstr(" estimate, T 1..3\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(DisplayColumns(line), 100u) << line;
  }
}

TEST_F(TextTreeOfModel, SaysWhichRegimeTheEstimatesAreOf) {
  Program program = Compile("tutorial");
  EXPECT_THAT(TextTree(program, {{}, 5, false}), HasSubstr(" estimate, T 4..7\n"));
  EXPECT_THAT(TextTree(program, {{}, 512, false}), HasSubstr("..512\n"));
}

TEST_F(TextTreeOfModel, ShowsLayersOneByOneOnRequest) {
  std::string text = TextTree(Compile("scalar"), {{1, 5}, 1, false});
  EXPECT_THAT(text, HasSubstr("layer 1\n"));
  EXPECT_THAT(text, HasSubstr("layer 5\n"));
  EXPECT_THAT(text, Not(HasSubstr("layer 0\n")));
  EXPECT_THAT(text, Not(HasSubstr("layers 0..4")));
}

TEST_F(TextTreeOfModel, ColoursTargets) {
  EXPECT_THAT(TextTree(Compile("scalar"), {{}, 1, true}), HasSubstr("\x1b[37mscalar    \x1b[0m"));
}

}  // namespace
}  // namespace infer
