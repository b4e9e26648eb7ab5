// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace infer::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string ReadPageFile(const std::string& name) {
  std::ifstream file(std::string(INFER_SOURCE_DIR "/tools/serve/page/dist/") + name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ServePage, HasTheBytesOfTheBundle) {
  EXPECT_EQ(PageHtml(), ReadPageFile("page.html"));
  EXPECT_EQ(std::string(PagePolicy()) + "\n", ReadPageFile("policy.txt"));
  EXPECT_THAT(PageHtml(), StartsWith("<!doctype html>"));
}

TEST(ServePage, PolicyAllowsOnlyHashesAndTheSameServer) {
  EXPECT_THAT(PagePolicy(), StartsWith("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(PagePolicy(), HasSubstr("connect-src 'self';"));
  EXPECT_THAT(PagePolicy(), HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(PagePolicy(), Not(HasSubstr("unsafe")));
  EXPECT_THAT(PagePolicy(), Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace infer::serve
