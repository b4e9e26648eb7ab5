// SPDX-License-Identifier: Apache-2.0
//
// The server with a client that is not ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Curl(const std::string& arguments) {
  FILE* pipe = popen(StrCat("curl -sS --max-time 20 ", arguments, " 2>&1").c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const size_t bytes = std::fread(buffer, 1, sizeof(buffer), pipe))
    output.append(buffer, bytes);
  pclose(pipe);
  return output;
}

class HttpCurl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Curl("--version").find("curl ") != 0) GTEST_SKIP() << "skipped: curl is not installed";
  }
  std::string Url(const TestServer& server, const std::string& target) {
    return StrCat("'http://localhost:", server.port(), target, "' ");
  }
};

TEST_F(HttpCurl, UsesOneConnectionForSeveralRequests) {
  TestServer server({.host = "localhost"});
  const std::string url = Url(server, "/hello");
  EXPECT_EQ(Curl(StrCat(url, url, url, "-w ' %{http_version} %{num_connects}\\n'")),
            "hello 1.1 1\nhello 1.1 0\nhello 1.1 0\n");
  EXPECT_EQ(Curl(StrCat("-0 ", url, "-w ' %{http_version}'")), "hello 1.1");
  EXPECT_THAT(Curl("-I " + url), HasSubstr("Content-Length: 5"));
}

TEST_F(HttpCurl, SendsBodiesInAllWays) {
  TestServer server({.host = "localhost"});
  const std::string path = StrCat(::testing::TempDir(), "/infer_curl_", getpid());
  std::ofstream(path) << std::string(3 << 20, 'x');
  const std::string post = StrCat(Url(server, "/echo"), "-H 'Content-Type: application/json' ");
  EXPECT_EQ(Curl(post + "-d '{}'"), "{}");
  for (std::string more : {"", "-H 'Transfer-Encoding: chunked' ", "-H 'Expect: 100-continue' "}) {
    EXPECT_EQ(Curl(StrCat(post, more, "--data-binary @", path)).size(), 3u << 20) << more;
  }
  EXPECT_THAT(Curl(StrCat(Url(server, "/echo"), "-d x")), HasSubstr("application/json"));
  // Refused before the body is sent, and the client still reads why.
  std::ofstream(path) << std::string(9 << 20, 'x');
  EXPECT_THAT(Curl(StrCat(post, "-H 'Expect:' --data-binary @", path)), HasSubstr("larger than"));
  unlink(path.c_str());
}

TEST_F(HttpCurl, ReadsStreams) {
  TestServer server({.host = "localhost"});
  EXPECT_THAT(Curl("-N " + Url(server, "/stream?500")), EndsWith("data: 499\n\n"));
  EXPECT_THAT(Curl("-N -0 " + Url(server, "/stream?500")), EndsWith("data: 499\n\n"));
}

TEST_F(HttpCurl, SpeaksToUnixSockets) {
  const std::string path = SocketPath("curl");
  TestServer server({.unix_socket = path});
  EXPECT_EQ(Curl(StrCat("--unix-socket ", path, " http://infer/hello")), "hello");
}

}  // namespace
}  // namespace infer::http
