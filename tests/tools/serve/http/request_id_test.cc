// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/request_id.h"

#include <gtest/gtest.h>

#include <string>

namespace infer::http {
namespace {

TEST(RequestId, KeepsOnlySafeProposals) {
  EXPECT_EQ(RequestId("a-B_3.z"), "a-B_3.z");
  EXPECT_EQ(RequestId(std::string(64, 'x')), std::string(64, 'x'));
  for (std::string proposed : {"", "a b", "a\r\nb", "a:b", "\xc3\xa4", "a/b", "<x>", "\"x\""}) {
    EXPECT_TRUE(RequestId(proposed).starts_with("req_")) << proposed;
  }
  EXPECT_TRUE(RequestId(std::string(65, 'x')).starts_with("req_"));
  EXPECT_NE(RequestId(""), RequestId(""));
}

}  // namespace
}  // namespace infer::http
