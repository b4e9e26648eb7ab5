// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/target.h"

#include <gtest/gtest.h>

#include <string>

namespace infer::http {
namespace {

TEST(SplitTarget, DecodesThePathAndKeepsTheQuery) {
  struct Case {
    std::string target, path, query;
  };
  for (const Case& c : {Case{"/", "/", ""}, Case{"/v1/models?a=1&b=%20", "/v1/models", "a=1&b=%20"},
                        Case{"/a%2Fb%20c", "/a/b c", ""}, Case{"/%C3%a4%f0%9f%98%80", "/ä😀", ""},
                        Case{"/?", "/", ""}, Case{"/a?b?c", "/a", "b?c"},
                        Case{"//x/../y", "//x/../y", ""}, Case{"/a+b", "/a+b", ""}}) {
    std::string path, query;
    EXPECT_FALSE(SplitTarget(c.target, &path, &query).has_value()) << c.target;
    EXPECT_EQ(path, c.path);
    EXPECT_EQ(query, c.query);
  }
}

TEST(SplitTarget, RefusesWhatIsNoPath) {
  for (std::string target :
       {"", "*", "a", "http://x/", "/%", "/%4", "/%4g", "/%00", "/%0A", "/%7f", "/%ff", "/%c0%80",
        "/%ed%bf%bf", "/%f4%90%80%80", "/%e2%82", "/a#b", "/?%", "/?%00"}) {
    std::string path, query;
    const auto problem = SplitTarget(target, &path, &query);
    ASSERT_TRUE(problem.has_value()) << target;
    EXPECT_EQ(problem->status, 400);
  }
}

}  // namespace
}  // namespace infer::http
