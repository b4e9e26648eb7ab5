// SPDX-License-Identifier: Apache-2.0
//
// infer-serve with the fault injector: whichever call for a socket, a connection or a file fails,
// the server says why it does not start, or serves. A connection that fails is the only one that
// does. INFER_TEST_SERVE_FAULTS sets how many calls of each kind fail, one in each server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <string>

#include "ir/base/strings.h"
#include "tests/faults/faulty_server.h"
#include "tests/tools/serve/http/raw_client.h"

namespace infer {
namespace {

struct Kind {
  const char* name;
  const char* codes;  // of a server that does not start; empty: it starts
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class ServeIo : public ::testing::TestWithParam<Kind> {};

// Asks on a connection of its own. Returns whether the answer is there.
bool Answers(int port) {
  http::RawClient client = http::RawClient::Tcp(port);
  client.Send(http::RequestText("POST", "/v1/completions",
                                R"({"prompt": "Once upon", "max_tokens": 2})", ""));
  const http::RawAnswer answer = client.ReadAnswer("POST");
  return answer.status == 200 && answer.is_complete;
}

TEST_P(ServeIo, FailsOnceAndServes) {
  const char* asked = std::getenv("INFER_TEST_SERVE_FAULTS");
  const int most = asked == nullptr ? 3 : std::atoi(asked);
  constexpr int kConnections = 4;
  int tried = 0;
  for (int call = 1; call <= most; ++call) {
    FaultyServer server(StrCat(GetParam().name, ":", call));
    int unanswered = 0;
    if (server.port() != 0) {
      bool answers = false;
      // One more if the last of them was the one that failed.
      for (int i = 0; i < kConnections + (answers ? 0 : 1); ++i) {
        answers = Answers(server.port());
        unanswered += answers ? 0 : 1;
      }
      EXPECT_TRUE(answers) << GetParam().name << " " << call;
    }
    const Served served = server.End();
    if (!server.has_failed()) break;
    ++tried;
    EXPECT_LE(unanswered, 1) << GetParam().name << " " << call;
    if (server.port() != 0) {
      EXPECT_EQ(served.code, 0) << GetParam().name << " " << call << ": " << served.err;
      continue;
    }
    EXPECT_THAT(StrCat(",", GetParam().codes, ","),
                ::testing::HasSubstr(StrCat(",", served.code, ",")))
        << GetParam().name << " " << call << ": " << served.err;
    EXPECT_THAT(served.err, ::testing::HasSubstr("error: "));
  }
  EXPECT_GT(tried, 0) << GetParam().name << ": no call to fail";
  std::printf("%s: tried %d\n", GetParam().name, tried);
}

INSTANTIATE_TEST_SUITE_P(Calls, ServeIo,
                         ::testing::Values(Kind{"socket", "1,5"}, Kind{"accept", ""},
                                           Kind{"recv", ""}, Kind{"send", ""}, Kind{"read", "1,3"},
                                           Kind{"write", "1"}, Kind{"open", "1,3"}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace infer
