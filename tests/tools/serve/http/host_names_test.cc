// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/host_names.h"

#include <gtest/gtest.h>

#include <string>

namespace infer::http {
namespace {

TEST(HostNames, OfALoopbackServerAreTheLoopbackNames) {
  for (std::string bound : {"127.0.0.1", "localhost", "::1"}) {
    const HostNames names(bound, {});
    for (std::string host : {"localhost", "localhost:80", "127.0.0.1", "[::1]:9", "[0:0::1]"}) {
      EXPECT_TRUE(names.Allows(host)) << bound << " " << host;
    }
    for (std::string host : {"example.com", "10.0.0.1", "[::2]", "", "127.0.0.1.example"}) {
      EXPECT_FALSE(names.Allows(host)) << bound << " " << host;
    }
  }
}

TEST(HostNames, OfAPublicServerAreItsAddressesAndAllowedNames) {
  const HostNames any("0.0.0.0", {"Models.Example:8080"});
  EXPECT_TRUE(any.Allows("192.168.1.7:8080"));
  EXPECT_TRUE(any.Allows("[fe80::1]"));
  EXPECT_TRUE(any.Allows("models.example"));
  EXPECT_TRUE(any.Allows("localhost"));
  EXPECT_FALSE(any.Allows("rebound.example"));
  const HostNames one("192.168.1.7", {});
  EXPECT_TRUE(one.Allows("192.168.1.7"));
  EXPECT_FALSE(one.Allows("192.168.1.8"));
  EXPECT_FALSE(one.Allows("localhost"));
}

TEST(HostNames, MayAllBeAllowed) {
  EXPECT_TRUE(HostNames("127.0.0.1", {"*"}).Allows("any.example"));
  EXPECT_FALSE(HostNames("127.0.0.1", {"*"}).Allows("not a name"));
  EXPECT_TRUE(HostNames::Any().Allows("any.example"));
}

TEST(NameInHost, IsEmptyIfMalformed) {
  EXPECT_EQ(NameInHost("A.Example:1"), "a.example");
  EXPECT_EQ(NameInHost("[FE80::1]:1"), "fe80::1");
  EXPECT_EQ(NameInHost("a."), "a");
  for (std::string host : {"", ":80", "a:", "a:b", "a:123456", "[::1", "[x]", "[]", "a b", "a/b",
                           "a@b", "::1", "[::1]80"}) {
    EXPECT_EQ(NameInHost(host), "") << host;
  }
}

}  // namespace
}  // namespace infer::http
