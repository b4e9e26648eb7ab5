// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/head_syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ir/base/strings.h"

namespace infer::http {
namespace {

using ::testing::HasSubstr;
using Result = HeadScanner::Result;

TEST(HeadScanner, FindsTheEndHoweverTheBytesArrive) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  for (size_t step = 1; step <= head.size(); ++step) {
    HeadScanner scanner;
    for (size_t size = step; size < head.size(); size += step) {
      ASSERT_EQ(scanner.Scan(std::string_view(head).substr(0, size)), Result::kMore);
    }
    ASSERT_EQ(scanner.Scan(head + "more"), Result::kEnd);
    EXPECT_EQ(scanner.head_bytes(), head.size());
  }
}

TEST(HeadScanner, RefusesBadBytesAsSoonAsTheyAreSeen) {
  struct Case {
    std::string bytes, message;
  };
  for (const Case& c :
       {Case{"GET / HTTP/1.1\nHost", "bare LF"}, Case{"GET / HTTP/1.1\rHost", "bare CR"},
        Case{"\x16\x03\x01", "not TLS"}, Case{" GET", "not an HTTP request"},
        Case{std::string("GET /\0", 6), "control character"},
        Case{"GET / HTTP/1.1\r\r\n", "bare CR"}}) {
    HeadScanner scanner;
    EXPECT_EQ(scanner.Scan(c.bytes), Result::kBad) << c.bytes;
    EXPECT_EQ(scanner.problem().status, 400);
    EXPECT_THAT(scanner.problem().message, HasSubstr(c.message));
  }
}

TEST(CheckHead, AcceptsWhatIsCorrect) {
  EXPECT_FALSE(CheckHead("GET / HTTP/1.1\r\n\r\n").has_value());
  EXPECT_FALSE(CheckHead("M-SEARCH /a?b HTTP/1.0\r\nX:\r\nY:  a b\t\r\n\r\n").has_value());
  EXPECT_FALSE(CheckHead("GET / HTTP/1.1\r\nX: \xc3\xa4\r\n\r\n").has_value());
}

TEST(CheckHead, SaysWhatIsWrong) {
  struct Case {
    std::string head, message;
  };
  for (const Case& c : {Case{"GET /\r\n\r\n", "METHOD /path"},
                        Case{"GET / HTTP/2.0\r\n\r\n", "HTTP/1.0 and HTTP/1.1"},
                        Case{"G\"T / HTTP/1.1\r\n\r\n", "method"},
                        Case{"GET /\xc3\xa4 HTTP/1.1\r\n\r\n", "percent-encode"},
                        Case{"GET / HTTP/1.1\r\n X: 1\r\n\r\n", "folded"},
                        Case{"GET / HTTP/1.1\r\nX 1\r\n\r\n", "no colon"},
                        Case{"GET / HTTP/1.1\r\nX : 1\r\n\r\n", "header name"}}) {
    const auto problem = CheckHead(c.head);
    ASSERT_TRUE(problem.has_value()) << c.head;
    EXPECT_EQ(problem->status, 400);
    EXPECT_THAT(problem->message, HasSubstr(c.message));
  }
}

TEST(CheckHead, LimitsTheNumberOfFields) {
  std::string head = "GET / HTTP/1.1\r\n";
  for (size_t i = 0; i < kMaxHeaderFields; ++i) head += "X: 1\r\n";
  EXPECT_FALSE(CheckHead(head + "\r\n").has_value());
  EXPECT_EQ(CheckHead(head + "X: 1\r\n\r\n")->status, 431);
}

}  // namespace
}  // namespace infer::http
