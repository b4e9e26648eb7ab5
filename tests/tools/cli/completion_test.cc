// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    flags_.Choice("--kv-type", &text_, {"f16", "f32"}, "it's the type");
    flags_.Text("-ngl,--layers", &text_, "N", "layers");
    flags_.Mode("verify", "Verify.").Bool("--deep", &deep_, "deep");
  }
  // What bash offers for the words of a command line, the last one unfinished.
  std::string Offered(const std::string& words, int last) {
    TempDir dir;
    WriteFile(dir.Path("script"), CompletionScript(flags_, "bash") +
                                      UmbrellaCompletionScript({{"sub", "my-tool"}}, "bash") +
                                      "COMP_WORDS=(" + words +
                                      ")\nCOMP_CWORD=" + std::to_string(last) +
                                      "\ncase ${COMP_WORDS[0]} in infer) _infer;; *) _my_tool;; "
                                      "esac\necho \"${COMPREPLY[*]}\"\n");
    return RunShell("cd '" + dir.path() + "' && bash script").out;
  }

  std::string text_;
  bool deep_ = false;
  Flags flags_{"my-tool", ""};
};

TEST_F(CompletionTest, BashOffersFlagsModesAndWords) {
  EXPECT_EQ(Offered("my-tool --kv", 1), "--kv-type\n");
  EXPECT_EQ(Offered("my-tool ver", 1), "verify\n");
  EXPECT_EQ(Offered("my-tool verify --de", 2), "--deep\n");
  EXPECT_EQ(Offered("my-tool --kv-type f", 2), "f16 f32\n");
  EXPECT_EQ(Offered("my-tool -ngl scr", 2), "script\n");  // a file
}

TEST_F(CompletionTest, UmbrellaHandsOverToTheTool) {
  EXPECT_EQ(Offered("infer s", 1), "sub\n");
  EXPECT_EQ(Offered("infer sub --kv", 2), "--kv-type\n");
}

TEST_F(CompletionTest, ZshAndFishNameEveryFlag) {
  EXPECT_THAT(CompletionScript(flags_, "zsh"), HasSubstr("bashcompinit"));
  std::string fish = CompletionScript(flags_, "fish");
  EXPECT_THAT(fish,
              HasSubstr("complete -c my-tool -l kv-type -x -a 'f16 f32' -d 'it'\\''s the type'"));
  EXPECT_THAT(fish, HasSubstr("complete -c my-tool -l layers -o ngl -r -d 'layers'"));
  EXPECT_THAT(fish, HasSubstr("-a verify -d 'Verify.'"));
}

}  // namespace
}  // namespace infer
