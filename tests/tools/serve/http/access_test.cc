// SPDX-License-Identifier: Apache-2.0
//
// Who may use the server: API keys, names in Host, pages of other sites, unix sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/raw_client.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

using ::testing::HasSubstr;

std::string TempPath(const std::string& name) {
  return StrCat(::testing::TempDir(), "/infer_http_", getpid(), "_", name);
}

std::string WriteFile(const std::string& name, const std::string& text) {
  const std::string path = TempPath(name);
  std::ofstream(path) << text;
  return path;
}

RawAnswer AskRaw(int port, const std::string& request) {
  RawClient client = RawClient::Tcp(port);
  client.Send(request);
  return client.ReadAnswer();
}

RawAnswer AskWith(int port, const std::string& headers, const std::string& target = "/hello") {
  return AskRaw(port, RequestText("GET", target, "", headers));
}

TEST(HttpKeys, AskForAKeyOnEveryRouteButPublicOnes) {
  TestServer server({.keys_file = WriteFile("keys", "alice key-of-alice\nbob key-of-bob1\n")});
  RawAnswer answer = AskWith(server.port(), "");
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.headers["www-authenticate"], "Bearer realm=\"infer\"");
  EXPECT_THAT(answer.body, HasSubstr("API key"));
  EXPECT_EQ(AskWith(server.port(), "", "/no-such-route").status, 401);
  EXPECT_EQ(AskWith(server.port(), "", "/health").status, 404);  // public, and not a route here
  EXPECT_EQ(AskWith(server.port(), "Authorization: Bearer key-of-alice\r\n").status, 200);
  EXPECT_EQ(AskWith(server.port(), "authorization: bearer key-of-bob1\r\n").status, 200);
  EXPECT_EQ(AskWith(server.port(), "X-Api-Key: key-of-bob1\r\n").status, 200);
  EXPECT_EQ(server.handler().requests().back().key_name, "bob");
  EXPECT_EQ(server.records().back().key_name, "bob");
  for (std::string wrong :
       {"Authorization: Bearer key-of-alic\r\n", "X-Api-Key: alice\r\n",
        "Authorization: Bearer key-of-alicee\r\n", "Authorization: Bearer \r\n",
        "Authorization: Basic key-of-alice\r\n", "Authorization: key-of-alice\r\n",
        "Authorization: Bearer KEY-OF-ALICE\r\n"}) {
    EXPECT_EQ(AskWith(server.port(), wrong).status, 401) << wrong;
  }
  EXPECT_EQ(server.counts().unauthorized_requests, 9u);
}

TEST(HttpKeys, AreReloadedAndKeptIfTheFileIsWrong) {
  const std::string path = WriteFile("reload", "alice key-of-alice\n");
  TestServer server({.keys_file = path});
  const std::string old_key = "X-Api-Key: key-of-alice\r\n";
  const std::string new_key = "X-Api-Key: another-key\r\n";
  EXPECT_EQ(AskWith(server.port(), new_key).status, 401);
  WriteFile("reload", "alice another-key\n");
  EXPECT_TRUE(server.server().ReloadKeys().ok());
  EXPECT_EQ(AskWith(server.port(), old_key).status, 401);
  EXPECT_EQ(AskWith(server.port(), new_key).status, 200);
  WriteFile("reload", "alice\n");
  EXPECT_THAT(server.server().ReloadKeys().message(), HasSubstr("line 1"));
  EXPECT_EQ(AskWith(server.port(), new_key).status, 200);
  unlink(path.c_str());
  EXPECT_THAT(server.server().ReloadKeys().message(), HasSubstr(path));
  EXPECT_EQ(AskWith(server.port(), new_key).status, 200);
}

TEST(HttpCors, IsOffUnlessAllowed) {
  TestServer server;
  RawAnswer answer = AskWith(server.port(), "Origin: http://page.example\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(answer.headers.contains("access-control-allow-origin"));
  answer =
      AskRaw(server.port(),
             RequestText("OPTIONS", "/echo", "",
                         "Origin: http://page.example\r\nAccess-Control-Request-Method: POST\r\n"));
  EXPECT_EQ(answer.status, 403);
  EXPECT_THAT(answer.body, HasSubstr("--allowed-origin"));
  // Without Origin it is a plain request that the handler answers.
  EXPECT_EQ(AskRaw(server.port(), RequestText("OPTIONS", "/hello")).body, "hello");
}

TEST(HttpCors, AnswersAllowedOriginsWithTheConfiguredName) {
  TestServer server({.allowed_origins = {"https://a.example", "http://b.example:3000"},
                     .keys_file = WriteFile("cors_keys", "alice key-of-alice\n")});
  const std::string preflight =
      "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-custom\r\n";
  RawAnswer answer =
      AskRaw(server.port(),
             RequestText("OPTIONS", "/echo", "", "Origin: http://b.example:3000\r\n" + preflight));
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.headers["access-control-allow-origin"], "http://b.example:3000");
  EXPECT_EQ(answer.headers["access-control-allow-headers"], "authorization, *");
  EXPECT_EQ(answer.headers["vary"], "Origin");
  for (std::string other :
       {"https://a.example.evil", "http://a.example", "null", "https://A.example"}) {
    answer = AskRaw(server.port(), RequestText("OPTIONS", "/echo", "",
                                               StrCat("Origin: ", other, "\r\n", preflight)));
    EXPECT_EQ(answer.status, 403) << other;
    EXPECT_FALSE(answer.headers.contains("access-control-allow-origin")) << other;
  }
  // Errors can be read by the page, too.
  answer = AskWith(server.port(), "Origin: https://a.example\r\n");
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.headers["access-control-allow-origin"], "https://a.example");
  TestServer open({.allowed_origins = {"*"}});
  answer = AskWith(open.port(), "Origin: http://any.example\r\n");
  EXPECT_EQ(answer.headers["access-control-allow-origin"], "*");
}

TEST(HttpHost, IsCheckedAgainstTheBoundNames) {
  TestServer server({.allowed_hosts = {"infer.example"}});
  const auto status_of = [&](const std::string& host) {
    return AskRaw(server.port(), StrCat("GET /hello HTTP/1.1\r\nHost: ", host, "\r\n\r\n")).status;
  };
  for (std::string host : {"localhost", "LocalHost:8080", "127.0.0.1:1", "[::1]:8080",
                           "infer.example", "Infer.Example:443", "localhost."}) {
    EXPECT_EQ(status_of(host), 200) << host;
  }
  for (std::string host : {"evil.example", "evil.example:8080", "10.0.0.1", "localhost.evil"}) {
    EXPECT_EQ(status_of(host), 403) << host;
  }
  EXPECT_EQ(AskRaw(server.port(), "GET /hello HTTP/1.0\r\n\r\n").status, 200);
}

TEST(HttpUnix, ServesThisUserAlone) {
  const std::string path = SocketPath("access");
  {
    TestServer server({.unix_socket = path});
    struct stat info = {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    RawClient client = RawClient::Unix(path);
    client.Send("GET /hello HTTP/1.1\r\nHost: anything.example\r\n\r\n");
    EXPECT_EQ(client.ReadAnswer().body, "hello");
    EXPECT_EQ(server.handler().requests().at(0).peer, "unix");
    EXPECT_EQ(server.port(), 0);
    // A second server does not take it away.
    TestHandler handler;
    ServerOptions options = {.unix_socket = path};
    EXPECT_THAT(Server::Create(options, &handler).status().message(),
                HasSubstr("another server listens"));
    EXPECT_EQ(access(path.c_str(), F_OK), 0);
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(HttpUnix, ReplacesAStaleSocketAndNothingElse) {
  const std::string path = SocketPath("stale");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  close(fd);  // as a crash leaves it
  {
    TestServer server({.unix_socket = path});
  }
  TestHandler handler;
  ServerOptions options = {.unix_socket = WriteFile("plain_file", "text")};
  EXPECT_THAT(Server::Create(options, &handler).status().message(), HasSubstr("not a socket"));
  EXPECT_EQ(access(options.unix_socket.c_str(), F_OK), 0);
  options.unix_socket = std::string(300, 'x');
  EXPECT_THAT(Server::Create(options, &handler).status().message(), HasSubstr("300 characters"));
}

}  // namespace
}  // namespace infer::http
