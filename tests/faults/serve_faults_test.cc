// SPDX-License-Identifier: Apache-2.0
//
// infer-serve with the fault injector: whichever allocation fails once its threads run, it serves
// and ends as asked, or ends with an error line and the exit code 4. faults_test.cc has those
// before. INFER_TEST_FAULT_STRIDE=1 tries each of them, one in each server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "ir/base/strings.h"
#include "tests/faults/fault_slice.h"
#include "tests/faults/faulty_server.h"
#include "tests/tools/serve/http/raw_client.h"

namespace infer {
namespace {

// A text, a chat in a stream with a grammar, and the pages of the server. Returns whether all were
// answered.
bool Ask(int port) {
  http::RawClient client = http::RawClient::Tcp(port);
  if (!client.is_connected()) return false;
  const auto answers = [&](const char* method, const char* target, const char* body) {
    client.Send(http::RequestText(method, target, body));
    const http::RawAnswer answer = client.ReadAnswer(method);
    return answer.status == 200 && answer.is_complete;
  };
  return answers("POST", "/v1/completions",
                 R"({"prompt": ["Once upon", "The"], "max_tokens": 2, "logprobs": 2,
                     "stop": ["x"]})") &&
         answers("POST", "/v1/chat/completions",
                 R"({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2,
                     "stream": true, "response_format": {"type": "json_object"}})") &&
         answers("GET", "/metrics", "") && answers("GET", "/v1/models", "");
}

TEST(ServeFaults, Allocations) {
  int tried = 0, ended = 0;
  for (int call = FirstFault();; call += FaultStride(1499), ++tried) {
    FaultyServer server(StrCat("alloc:threads:", call));
    const bool all_answered = server.port() != 0 && Ask(server.port());
    const bool serves = all_answered || (server.port() != 0 && Ask(server.port()));
    const Served served = server.End();
    if (!server.has_failed()) {
      EXPECT_TRUE(all_answered) << served.err;
      EXPECT_EQ(served.code, 0) << served.err;
      break;
    }
    if (served.code == 0) {
      EXPECT_TRUE(serves) << "allocation " << call;
      continue;
    }
    EXPECT_EQ(served.code, 4) << "allocation " << call << ": " << served.err;
    EXPECT_THAT(served.err, ::testing::HasSubstr("error: "));
    ++ended;
  }
  EXPECT_GT(tried, 0);
  std::printf("alloc: tried %d, ended %d\n", tried, ended);
}

TEST(ServeFaults, NoMemoryForTheAddress) {
  FaultyServer server("resolve:1");
  EXPECT_EQ(server.port(), 0);
  const Served served = server.End();
  EXPECT_EQ(served.code, 4) << served.err;
  EXPECT_THAT(served.err, ::testing::HasSubstr("not enough memory to resolve the address"));
}

// From SIGTERM on. What fails there must not be an exception that ends a thread's owner.
TEST(ServeFaults, AllocationsWhileItEnds) {
  int tried = 0;
  for (int call = 1;; ++call, ++tried) {
    FaultyServer server(StrCat("alloc:end:", call));
    ASSERT_NE(server.port(), 0);
    const Served served = server.End();
    if (!server.has_failed()) break;
    if (served.code == 0) continue;
    EXPECT_EQ(served.code, 4) << "allocation " << call << ": " << served.err;
    EXPECT_THAT(served.err, ::testing::HasSubstr("error: ")) << "allocation " << call;
  }
  EXPECT_GT(tried, 0);
  std::printf("alloc: tried %d\n", tried);
}

}  // namespace
}  // namespace infer
