// SPDX-License-Identifier: Apache-2.0
//
// slowhttptest, a tool that attacks servers with slow clients, in its four modes. Takes minutes:
// INFER_TEST_SLOW_CLIENTS is the number of its connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/raw_client.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Run(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const size_t bytes = std::fread(buffer, 1, sizeof(buffer), pipe))
    output.append(buffer, bytes);
  pclose(pipe);
  return output;
}

// Attacks a server with the limits of ServerOptions, but for the one per address: the tool's own
// probes come from the same address.
void Attack(const std::string& name, const std::string& mode) {
  const char* connections = std::getenv("INFER_TEST_SLOW_CLIENTS");
  if (connections == nullptr) GTEST_SKIP() << "skipped: INFER_TEST_SLOW_CLIENTS is not set";
  if (std::system("command -v slowhttptest >/dev/null") != 0) {
    GTEST_SKIP() << "skipped: slowhttptest is not installed";
  }
  TestServer server({.host = "localhost", .max_connections_per_address = 4096});
  std::atomic<bool> is_over = false;
  double slowest_ms = 0;
  int asked = 0;
  std::thread bystander([&] {
    while (!is_over) {
      const auto start = std::chrono::steady_clock::now();
      RawClient client = RawClient::Tcp(server.port());
      client.Send(RequestText("GET", "/stream?10", "", "Connection: close\r\n"));
      EXPECT_TRUE(client.ReadAnswer().is_complete);
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      slowest_ms = std::max(slowest_ms, took.count());
      ++asked;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  const std::string output =
      Run(StrCat("slowhttptest ", mode, " -c ", connections,
                 " -r 200 -l 30 -p 3 -v 1 -u http://localhost:", server.port(), "/large 2>&1"));
  is_over = true;
  bystander.join();
  const ServerCounts counts = server.counts();
  std::cout << name << ": " << counts.accepted_connections << " connections, "
            << counts.read_timeouts << " read and " << counts.write_timeouts
            << " write timeouts; slowest of " << asked << " streams beside it: " << slowest_ms
            << " ms\n";
  EXPECT_THAT(output, HasSubstr("service available")) << output;
  EXPECT_THAT(output, Not(HasSubstr("NO"))) << output;
  EXPECT_EQ(counts.refused_connections, 0u);
}

TEST(SlowHttpTest, Headers) { Attack("headers", "-H -i 5"); }
TEST(SlowHttpTest, Body) { Attack("body", "-B -i 5 -f application/json -s 8192"); }
TEST(SlowHttpTest, Range) { Attack("range", "-R"); }
TEST(SlowHttpTest, Read) { Attack("read", "-X -w 512 -y 1024 -n 5 -z 32 -k 3"); }

}  // namespace
}  // namespace infer::http
