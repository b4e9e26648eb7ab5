// SPDX-License-Identifier: Apache-2.0
//
// infer-serve with the fault injector: whichever allocation fails, it serves and ends as asked, or
// ends with an error line and the exit code 4. INFER_TEST_SERVE_FAULTS sets how many are tried,
// INFER_TEST_SEED which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "ir/base/strings.h"
#include "tests/faults/faulty_server.h"
#include "tests/tools/serve/http/raw_client.h"

namespace infer {
namespace {

// More than a server makes until it has answered; a failure beyond them never happens.
constexpr long kAllocations = 120'000;

// Starts a server in which this allocation fails, asks it for a text and ends it.
Served Serve(long call) {
  FaultyServer server(StrCat("alloc:", call));
  if (server.port() != 0) {
    http::RawClient client = http::RawClient::Tcp(server.port());
    client.Send(http::RequestText("POST", "/v1/completions",
                                  R"({"prompt": "Once upon", "max_tokens": 4})", ""));
    client.ReadAnswer("POST", 20);
  }
  return server.End();
}

TEST(ServeFaults, Allocations) {
  const char* asked = std::getenv("INFER_TEST_SERVE_FAULTS");
  const int count = asked == nullptr ? 8 : std::atoi(asked);
  const char* seed = std::getenv("INFER_TEST_SEED");
  std::mt19937 random(seed == nullptr ? 22 : std::atoi(seed));
  int ended = 0;
  for (int i = 0; i < count; ++i) {
    const long call = 1 + static_cast<long>(random() % kAllocations);
    const Served served = Serve(call);
    EXPECT_THAT(served.code, testing::AnyOf(0, 4)) << "allocation " << call << ": " << served.err;
    if (served.code == 4) {
      EXPECT_THAT(served.err, testing::HasSubstr("error: "));
    }
    ended += served.code == 4;
  }
  std::printf("alloc: tried %d, ended %d\n", count, ended);
}

}  // namespace
}  // namespace infer
