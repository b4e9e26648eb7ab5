// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using testing::HasSubstr;

TEST(ReadInput, GivesEveryByte) {
  TempDir dir;
  std::string text("a\0b\r\n", 5);
  text += std::string(200000, 'x');
  WriteFile(dir.Path("f"), text);
  EXPECT_EQ(*ReadInput(dir.Path("f"), text.size()), text);
}

TEST(ReadInput, RefusesTooMuchAndNothingAndADirectory) {
  TempDir dir;
  WriteFile(dir.Path("f"), "12345");
  absl::Status status = ReadInput(dir.Path("f"), 4).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than the 4 bytes"));
  for (const std::string& path : {dir.Path("f"), dir.Path("none"), dir.path(), std::string()}) {
    EXPECT_EQ(ExitCodeFor(ReadInput(path, 4).status()), kExitBadInput) << path;
  }
}

}  // namespace
}  // namespace infer
