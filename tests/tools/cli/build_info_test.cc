// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/build_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(BuildInfo, NamesEveryPart) {
  std::string text = VersionText();
  EXPECT_EQ(text.rfind("infer 0.", 0), 0u);
  for (const char* part : {"(git ", "\ncompiler: ", "\nbuild type: ", "\nback ends: ", "\ncpu: "}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

#if defined(__linux__) && (defined(__aarch64__) || defined(__x86_64__))
TEST(BuildInfo, KnowsTheCpuOfThisMachine) { EXPECT_FALSE(CpuFeatures().empty()); }
#endif

}  // namespace
}  // namespace infer
