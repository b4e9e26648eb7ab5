// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/server_url.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

#include "tools/cli/exit_code.h"

namespace infer::load {
namespace {

int PortOf(const ServerUrl& url) {
  sockaddr_in address;
  std::memcpy(&address, &url.address, sizeof(address));
  return ntohs(address.sin_port);
}

TEST(ServerUrl, HasHostPortAndPrefix) {
  const auto url = ParseServerUrl("http://127.0.0.1:8080/some/where/v1/");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->host, "127.0.0.1:8080");
  EXPECT_EQ(url->prefix, "/some/where");
  EXPECT_EQ(PortOf(*url), 8080);
  EXPECT_EQ(url->address.ss_family, AF_INET);
}

TEST(ServerUrl, HasPort80UnlessItSaysAnother) {
  const auto url = ParseServerUrl("http://127.0.0.1");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(PortOf(*url), 80);
  EXPECT_EQ(url->prefix, "");
}

TEST(ServerUrl, TakesIpv6AndUnixSockets) {
  const auto six = ParseServerUrl("http://[::1]:81");
  ASSERT_TRUE(six.ok()) << six.status();
  EXPECT_EQ(six->address.ss_family, AF_INET6);
  EXPECT_EQ(six->host, "[::1]:81");
  const auto local = ParseServerUrl("unix:/tmp/some.sock");
  ASSERT_TRUE(local.ok()) << local.status();
  EXPECT_EQ(local->address.ss_family, AF_UNIX);
}

TEST(ServerUrl, RefusesOtherTexts) {
  for (const std::string& text :
       {std::string(""), std::string("127.0.0.1:80"), std::string("https://x"),
        std::string("http://"), std::string("http://:80"), std::string("http://h:"),
        std::string("http://h:0"), std::string("http://h:65536"), std::string("http://h:1x"),
        std::string("ftp://h"), std::string("unix:"), "unix:/" + std::string(200, 'x'),
        std::string("http://h\r\nX: y"), std::string("http://a b")}) {
    const auto url = ParseServerUrl(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(ExitCodeFor(url.status()), kExitUsage) << text;
  }
}

}  // namespace
}  // namespace infer::load
