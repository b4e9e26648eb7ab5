// SPDX-License-Identifier: Apache-2.0
//
// What connections cost that only wait.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/tools/serve/http/raw_client.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INFER_SANITIZED
#endif
#endif

// Resident memory of this process; 0 where /proc is missing.
size_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

bool HasFileDescriptors(rlim_t wanted) {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < wanted) return false;
  limit.rlim_cur = std::max(limit.rlim_cur, wanted);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

// The process holds the clients, too, so the server's share is less than what is measured.
TEST(HttpMemory, QueuedStreamsCostLittle) {
  constexpr size_t kStreams = 2000;
  if (!HasFileDescriptors(2 * kStreams + 100) || ResidentBytes() == 0) {
    GTEST_SKIP() << "skipped: needs 4100 file descriptors and /proc";
  }
  TestServer server({.max_connections = 4000, .max_connections_per_address = 4000});
  std::vector<RawClient> clients;
  const size_t before = ResidentBytes();
  const std::string body(4000, 'x');  // a prompt
  for (size_t i = 0; i < kStreams; ++i) {
    clients.push_back(RawClient::Tcp(server.port()));
    ASSERT_TRUE(clients.back().Send(RequestText("POST", "/hold", body)));
  }
  ASSERT_NE(server.handler().WaitForHeld(kStreams), nullptr);
  for (const auto& responder : server.handler().held()) {
    responder->StartStream("text/event-stream", {});
    responder->Write(": ping\n");
  }
  for (RawClient& client : clients) ASSERT_TRUE(client.ReadUntil(": ping"));
  const size_t bytes_per_stream = (ResidentBytes() - before) / kStreams;
  RecordProperty("bytes_per_stream", static_cast<int>(bytes_per_stream));
#ifndef INFER_SANITIZED
  EXPECT_LE(bytes_per_stream, 32u << 10);
#endif
  EXPECT_EQ(server.counts().open_connections, kStreams);
}

}  // namespace
}  // namespace infer::http
