// SPDX-License-Identifier: Apache-2.0
#include "tools/embed/embed_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TextLines, EndAtLineEndsOfBothKinds) {
  EXPECT_THAT(TextLines(""), IsEmpty());
  EXPECT_THAT(TextLines("a"), ElementsAre("a"));
  EXPECT_THAT(TextLines("a\nb\r\n"), ElementsAre("a", "b"));
  EXPECT_THAT(TextLines("a\n\nb"), ElementsAre("a", "", "b"));
}

TEST(JsonLines, AreStringsOrObjects) {
  EXPECT_THAT(*JsonLines("\"a\\nb\"\n\n{\"id\": 1, \"text\": \"c\"}\n"), ElementsAre("a\nb", "c"));
}

TEST(JsonLines, NameTheLineThatIsWrong) {
  EXPECT_THAT(std::string(JsonLines("\"a\"\n{\"txt\": 1}").status().message()),
              HasSubstr("line 2 holds no text"));
  EXPECT_THAT(std::string(JsonLines("{").status().message()),
              HasSubstr("line 1 is not valid JSON"));
  EXPECT_THAT(std::string(JsonLines("{\"text\": 1}").status().message()), HasSubstr("line 1"));
}

}  // namespace
}  // namespace infer
