// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/load_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "tests/support/hang_limit.h"
#include "tests/tools/bench/serve/fake_server.h"
#include "tools/bench/serve/load_summary.h"

namespace infer::load {
namespace {

using std::chrono::milliseconds;

void Sleep(int ms) { std::this_thread::sleep_for(milliseconds(ms)); }

// Answers with as many tokens as asked for, the first after `first_ms`, the others after `gap_ms`.
FakeServer::Script Steady(int first_ms, int gap_ms) {
  return [=](const FakeRequest& request, FakeConnection& connection) {
    const int64_t tokens = NumberIn(request.body, "max_tokens");
    connection.StartStream();
    for (int64_t i = 0; i < tokens; ++i) {
      Sleep(i == 0 ? first_ms : gap_ms);
      if (!connection.SendText("word ")) return;
    }
    connection.EndStream(30, tokens, 16);
  };
}

class LoadRunTest : public ::testing::Test {
 protected:
  RunResult Run(const std::string& url_text, const Pace& pace, const std::string& outputs = "5") {
    const ServerUrl url = *ParseServerUrl(url_text);
    Mix mix = {.prompt_tokens = *Lengths::Parse("-p", "10"),
               .output_tokens = *Lengths::Parse("-n", outputs)};
    mix.cancel_share = cancel_share_;
    mix.bad_share = bad_share_;
    mix.intruder_tokens = 100;
    mix.intruder_output_tokens = 2;
    const RequestSource source(url, {}, mix, PromptMaker({{" a", 1}, {" b", 1}}, 0), 1, 0);
    LoadRun run(url, source, pace);
    const auto start = std::chrono::steady_clock::now();
    RunResult result = run.Run(stop_, [](int64_t, int64_t) {});
    whole_ms_ =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

  // A time that the run measured is not shorter than the pause it contains, and a part of the run.
  void ExpectMeasured(double ms, double pause_ms) const {
    EXPECT_GT(ms, 0.95 * pause_ms);
    EXPECT_LE(ms, whole_ms_);
  }

  LoadSummary RunScript(FakeServer::Script script, const Pace& pace,
                        const std::string& outputs = "5") {
    const FakeServer server(std::move(script));
    const RunResult result = Run(server.url(), pace, outputs);
    return Summarize({&result, 1});
  }

  double cancel_share_ = 0;
  double bad_share_ = 0;
  double whole_ms_ = 0;  // of the last run
  std::atomic<bool> stop_ = false;
};

TEST_F(LoadRunTest, MeasuresKnownTimes) {
  const LoadSummary summary = RunScript(Steady(100, 10), {.users = 2, .requests = 6}, "11");
  EXPECT_EQ(summary.requests, 6);
  EXPECT_EQ(summary.failed, 0);
  EXPECT_EQ(summary.output_tokens, 66);
  EXPECT_EQ(summary.prompt_tokens, 180);
  EXPECT_EQ(summary.cached_tokens, 96);
  ExpectMeasured(summary.first_token.p50, 100);
  ExpectMeasured(summary.gap.p50, 10);
  EXPECT_EQ(summary.gap.count, 60);
  ExpectMeasured(summary.latency.p50, 200);
  EXPECT_GT(summary.latency.p50, summary.first_token.p50);
  ExpectMeasured(1e3 * summary.seconds, 600);  // three requests of each user, one after another
  EXPECT_NEAR(summary.output_tokens_per_s(), 66 / summary.seconds, 1e-9);
}

TEST_F(LoadRunTest, FindsTheOneLongGap) {
  std::atomic<int> count = 0;
  const auto script = [&](const FakeRequest&, FakeConnection& connection) {
    const bool stalls = count++ == 7;
    connection.StartStream();
    for (int i = 0; i < 10; ++i) {
      Sleep(stalls && i == 5 ? 200 : 5);
      connection.SendText("word");
    }
    connection.EndStream(1, 10, 0);
  };
  const LoadSummary summary = RunScript(script, {.users = 4, .requests = 10});
  ExpectMeasured(summary.gap.max, 200);
  EXPECT_LT(summary.gap.p50, summary.gap.max);
}

TEST_F(LoadRunTest, EventsOfOneWriteHaveNoGap) {
  const auto script = [](const FakeRequest&, FakeConnection& connection) {
    connection.StartStream();
    const std::string event = "data: {\"choices\":[{\"text\":\"x\"}]}\n\n";
    connection.SendChunk(event + event + event + event);
    connection.EndStream(1, 4, 0);
  };
  const LoadSummary summary = RunScript(script, {.users = 1, .requests = 1});
  EXPECT_EQ(summary.gap.count, 3);
  EXPECT_EQ(summary.gap.max, 0);
}

TEST_F(LoadRunTest, AnOpenLoopDoesNotWaitForAnswers) {
  // No request is answered before all have come.
  std::atomic<int> waiting = 0;
  const FakeServer server([&](const FakeRequest& request, FakeConnection& connection) {
    ++waiting;
    EXPECT_TRUE(WaitUntil([&] { return waiting >= 20; }));
    waiting = 20;  // after a failure the others need not wait, too
    Steady(0, 0)(request, connection);
  });
  const RunResult result =
      Run(server.url(), {.rate = 50, .poisson = false, .requests = 20, .duration_s = 0});
  ASSERT_EQ(result.requests.size(), 20u);
  for (const RequestResult& request : result.requests) {
    EXPECT_NEAR(request.due_s, static_cast<double>(request.index) / 50, 1e-6);
  }
}

TEST_F(LoadRunTest, PoissonArrivalsHaveTheirRate) {
  const FakeServer server(Steady(0, 0));
  const RunResult result = Run(server.url(), {.rate = 400, .requests = 300}, "1");
  std::vector<double> due;
  for (const RequestResult& request : result.requests) due.push_back(request.due_s);
  std::ranges::sort(due);
  EXPECT_NEAR(due.back(), 300 / 400.0, 0.2);
  int short_gaps = 0;
  for (size_t i = 1; i < due.size(); ++i) short_gaps += due[i] - due[i - 1] < 1 / 400.0;
  EXPECT_NEAR(short_gaps / 300.0, 0.632, 0.1) << "as many gaps are shorter than the mean";
}

TEST_F(LoadRunTest, DurationEndsTheRun) {
  const FakeServer server(Steady(5, 1));
  // Longer and longer, until a user has asked twice.
  size_t requests = 0;
  for (double seconds = 0.1; requests <= 2 && seconds < kHangLimit.count(); seconds *= 2) {
    const RunResult result = Run(server.url(), {.users = 2, .duration_s = seconds});
    for (const RequestResult& request : result.requests) EXPECT_LT(request.due_s, seconds);
    requests = result.requests.size();
  }
  EXPECT_GT(requests, 2u);
}

TEST_F(LoadRunTest, IntrudersAreReportedApart) {
  const auto script = [](const FakeRequest& request, FakeConnection& connection) {
    Steady(request.body.size() > 300 ? 100 : 5, 5)(request, connection);
  };
  const FakeServer server(script);
  const RunResult result =
      Run(server.url(), {.users = 1, .requests = 6, .intruder_every_s = 0.35}, "50");
  const LoadSummary summary = Summarize({&result, 1});
  const auto intruders =
      std::ranges::count(result.requests, RequestKind::kIntruder, &RequestResult::kind);
  EXPECT_GE(intruders, 2) << "the last request begins after 1.25 s";
  EXPECT_EQ(summary.intruder_first_token.count, intruders);
  ExpectMeasured(summary.intruder_first_token.p50, 100);
  EXPECT_GT(summary.intruder_gap.count, 0);
  EXPECT_LT(summary.intruder_gap.count, summary.gap.count);
  EXPECT_EQ(summary.failed, 0);
}

TEST_F(LoadRunTest, ClientsLeaveAtRandomMoments) {
  cancel_share_ = 1;
  std::atomic<int> complete = 0;
  std::atomic<int> served = 0;
  const auto script = [&](const FakeRequest& request, FakeConnection& connection) {
    ++served;
    connection.StartStream();
    const int64_t tokens = NumberIn(request.body, "max_tokens");
    for (int64_t i = 0; i < tokens; ++i) {
      if (connection.WaitForClose(milliseconds(1))) return;
      connection.SendText("w");
    }
    // Each has left at the latest when it has read all.
    if (connection.WaitForClose()) return;
    ++complete;
    connection.EndStream(1, tokens, 0);
  };
  LoadSummary summary = RunScript(script, {.users = 4, .requests = 100}, "40");
  EXPECT_EQ(summary.cancelled, 100);
  EXPECT_EQ(summary.failed, 0);
  EXPECT_EQ(summary.requests, 0);
  EXPECT_EQ(served, 100);
  EXPECT_EQ(complete, 0);
  EXPECT_GT(summary.output_tokens, 500) << "some left late";
}

TEST_F(LoadRunTest, MalformedRequestsExpectARefusal) {
  bad_share_ = 1;
  std::atomic<int> count = 0;
  const auto script = [&](const FakeRequest&, FakeConnection& connection) {
    constexpr int kStatuses[] = {400, 500, 200, 503};
    connection.SendResponse(kStatuses[count++ % 4], "application/json", "{}");
  };
  const LoadSummary summary = RunScript(script, {.users = 1, .requests = 40});
  EXPECT_EQ(summary.malformed, 40);
  EXPECT_EQ(summary.malformed_accepted, 10);
  EXPECT_EQ(summary.malformed_server_errors, 10);
  EXPECT_EQ(summary.failed, 0);
}

struct FailureCase {
  std::string name;
  FakeServer::Script script;
  Failure failure;
};

TEST_F(LoadRunTest, NamesEachFailure) {
  const FailureCase cases[] = {
      {"reset",
       [](const FakeRequest&, FakeConnection& c) {
         c.StartStream();
         c.SendText("a");
         Sleep(20);
         c.Reset();
       },
       Failure::kReset},
      {"closed inside a chunk",
       [](const FakeRequest&, FakeConnection& c) {
         c.StartStream();
         c.Send("20\r\nabc");
       },
       Failure::kClosedEarly},
      {"closed at once", [](const FakeRequest&, FakeConnection&) {}, Failure::kClosedEarly},
      {"no [DONE]",
       [](const FakeRequest&, FakeConnection& c) {
         c.StartStream();
         c.SendText("a");
         c.SendChunk("");
       },
       Failure::kClosedEarly},
      {"garbage", [](const FakeRequest&, FakeConnection& c) { c.Send("SSH-2.0-OpenSSH\r\n\r\n"); },
       Failure::kBadHttp},
      {"not JSON",
       [](const FakeRequest&, FakeConnection& c) {
         c.StartStream();
         c.SendChunk("data: {oops\n\n");
         c.EndStream(1, 1, 0);
       },
       Failure::kBadEvent},
      {"error event",
       [](const FakeRequest&, FakeConnection& c) {
         c.StartStream();
         c.SendChunk("data: {\"error\":{\"message\":\"x\"}}\n\n");
         c.EndStream(1, 1, 0);
       },
       Failure::kErrorEvent},
      {"503",
       [](const FakeRequest&, FakeConnection& c) { c.SendResponse(503, "application/json", "{}"); },
       Failure::kStatus},
      {"silence", [](const FakeRequest&, FakeConnection& c) { c.WaitForClose(); },
       Failure::kTimeout},
      {"a stream that stops",
       [](const FakeRequest&, FakeConnection& c) {
         c.StartStream();
         c.SendText("a");
         c.WaitForClose();
       },
       Failure::kTimeout},
  };
  for (const FailureCase& test : cases) {
    const FakeServer server(test.script);
    const double timeout_s = test.failure == Failure::kTimeout ? 0.3 : Pace().timeout_s;
    const RunResult result = Run(server.url(), {.users = 1, .requests = 2, .timeout_s = timeout_s});
    ASSERT_EQ(result.requests.size(), 2u) << test.name;
    EXPECT_EQ(Name(result.requests[0].failure), Name(test.failure)) << test.name;
  }
}

TEST_F(LoadRunTest, AServerThatIsDownIsNotAskedInALoop) {
  int port = 0;
  {
    port = FakeServer([](const FakeRequest&, FakeConnection&) {}).port();
  }
  // Longer and longer, until somebody has asked again.
  size_t requests = 0;
  for (double seconds = 0.35; requests <= 3 && seconds < kHangLimit.count(); seconds *= 2) {
    const RunResult result =
        Run("http://127.0.0.1:" + std::to_string(port), {.users = 3, .duration_s = seconds});
    EXPECT_EQ(Summarize({&result, 1}).failures.at("cannot connect"), std::ssize(result.requests));
    requests = result.requests.size();
    EXPECT_LE(static_cast<double>(requests), 15 * seconds / 0.35);
  }
  EXPECT_GT(requests, 3u);
}

TEST_F(LoadRunTest, ManyConnectionsOnOneThread) {
  std::atomic<int> waiting = 0;
  const auto script = [&](const FakeRequest&, FakeConnection& connection) {
    ++waiting;
    EXPECT_TRUE(WaitUntil([&] { return waiting >= 400; }));
    connection.StartStream();
    connection.SendText("a");
    connection.EndStream(1, 1, 0);
  };
  const LoadSummary summary = RunScript(script, {.users = 400, .requests = 400}, "1");
  EXPECT_EQ(summary.requests, 400);
  EXPECT_EQ(waiting, 400);
}

TEST_F(LoadRunTest, StopEndsTheRun) {
  const FakeServer server([this](const FakeRequest&, FakeConnection& connection) {
    stop_ = true;
    EXPECT_TRUE(connection.WaitForClose()) << "the run waits for an answer";
  });
  const RunResult result = Run(server.url(), {.users = 2, .requests = 100});
  EXPECT_TRUE(result.requests.empty());
}

}  // namespace
}  // namespace infer::load
