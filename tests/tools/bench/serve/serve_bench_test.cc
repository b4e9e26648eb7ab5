// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/serve_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "tests/tools/bench/serve/fake_server.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/bench/serve/serve_report.h"
#include "tools/cli/exit_code.h"

namespace infer::load {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// As infer-bench does, without its other modes.
absl::Status Main(ToolContext& context) {
  ServeOptions options;
  BenchFormat format = BenchFormat::kMd;
  Flags flags("bench-serve", "");
  flags.Enum("-o,--output", &format,
             {{"md", BenchFormat::kMd},
              {"csv", BenchFormat::kCsv},
              {"json", BenchFormat::kJson},
              {"jsonl", BenchFormat::kJsonl}},
             "");
  RegisterServeFlags(flags, &options);
  ASSIGN_OR_RETURN(const bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteServe(&options));
  return ServeMain(options, format, context);
}

CapturedRun RunBench(std::vector<std::string> args) {
  return RunCaptured({"bench-serve", "serve", "", Main}, std::move(args));
}

// A model that answers with `gap_ms` between tokens and counts a token for each word.
FakeServer::Script Model(int gap_ms) {
  return [=](const FakeRequest& request, FakeConnection& connection) {
    const auto words = static_cast<int64_t>(PromptWordsIn(request.body).size());
    if (request.path == "/v1/models") {
      connection.SendResponse(200, "application/json", R"({"data":[{"id":"m"}]})");
    } else if (request.path == "/tokenize") {
      const Json tokens = std::vector<int64_t>(static_cast<size_t>(words));
      connection.SendResponse(200, "application/json", Json{{"tokens", tokens}}.dump());
    } else if (request.body.find("\"stream\"") == std::string::npos) {
      const Json usage = {{"prompt_tokens", words + 1}};
      connection.SendResponse(200, "application/json", Json{{"usage", usage}}.dump());
    } else {
      const int64_t tokens = NumberIn(request.body, "max_tokens");
      connection.StartStream();
      for (int64_t i = 0; i < tokens; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(gap_ms));
        if (!connection.SendText("x")) return;
      }
      connection.EndStream(words + 1, tokens, 0);
    }
  };
}

TEST(ServeBench, PrintsATable) {
  const FakeServer server(Model(2));
  const CapturedRun run =
      RunBench({"--url", server.url(), "--users", "2", "-p", "20", "-n", "10", "--requests", "6"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("| | " + server.url() + " |\n"));
  EXPECT_THAT(run.out, HasSubstr("| prompt, cached, output tokens | 120, 0, 60 |"));
  EXPECT_THAT(run.out, HasSubstr("| requests, seconds | 6, "));
  EXPECT_THAT(run.out, HasSubstr("| failed | 0 |"));
  EXPECT_THAT(run.out, HasSubstr("| between tokens, ms: mean, p50, p90, p99, max | "));
}

TEST(ServeBench, WritesARecordForEachRound) {
  const FakeServer server(Model(1));
  const CapturedRun run = RunBench({"--url", server.url(), "--users", "2", "-p", "uniform:5,9",
                                    "-n", "4", "--requests", "4", "--rounds", "2", "-o", "json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json records = Json::parse(run.out);
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[1]["round"], 2);
  EXPECT_EQ(records[1]["requests"], 4);
  EXPECT_EQ(records[1]["output_tokens"], 16);
  EXPECT_EQ(records[1]["schema_version"], 1);
  EXPECT_GT(records[1]["output_tokens_per_s"], 0);
  EXPECT_GE(records[1]["first_token_ms_p99"], records[1]["first_token_ms_p50"]);
}

TEST(ServeBench, CsvAndJsonLinesHaveTheSameFields) {
  const FakeServer server(Model(0));
  const std::vector<std::string> args = {"--url", server.url(), "-p", "5", "-n", "2", "-o"};
  std::vector<std::string> csv_args = args;
  csv_args.push_back("csv");
  std::vector<std::string> json_args = args;
  json_args.push_back("jsonl");
  const CapturedRun csv = RunBench(csv_args);
  const Json json = Json::parse(RunBench(json_args).out);
  std::istringstream lines(csv.out);
  std::string names;
  std::string values;
  std::getline(lines, names);
  std::getline(lines, values);
  EXPECT_EQ(std::ranges::count(names, ',') + 1, std::ssize(json));
  EXPECT_THAT(names, HasSubstr("output_tokens_per_s,first_token_ms_mean"));
  EXPECT_THAT(values, HasSubstr(server.url()));
}

TEST(ServeBench, ComparesTwoServersInTurn) {
  const FakeServer fast(Model(5));
  const FakeServer slow(Model(15));
  const CapturedRun run = RunBench({"--url", fast.url(), "--url", slow.url(), "-n", "10", "-p",
                                    "10", "--requests", "2", "--rounds", "3"});
  ASSERT_EQ(run.code, 0) << run.err;
  const size_t at = run.out.find("of the first over the second: ");
  ASSERT_NE(at, run.out.npos) << run.out;
  const double ratio = std::stod(run.out.substr(at + 30));
  EXPECT_TRUE(ratio > 1.5 && ratio < 4) << run.out;
  // Both get the same prompts, and no round has those of another.
  std::vector<std::vector<std::string>> prompts[2];
  for (int i = 0; i < 2; ++i) {
    for (const FakeRequest& request : (i == 0 ? fast : slow).requests()) {
      if (request.body.find("\"stream\"") == std::string::npos) continue;
      prompts[i].push_back(PromptWordsIn(request.body));
    }
  }
  EXPECT_THAT(prompts[0], SizeIs(7)) << "one to warm up";
  EXPECT_EQ(prompts[0], prompts[1]);
  std::ranges::sort(prompts[0]);
  EXPECT_EQ(std::ranges::adjacent_find(prompts[0]), prompts[0].end());
}

TEST(ServeBench, WritesALineForEachRequest) {
  const FakeServer server(Model(1));
  const TempDir dir;
  const CapturedRun run = RunBench({"--url", server.url(), "-p", "5", "-n", "3", "--requests", "3",
                                    "--requests-file", dir.Path("r.csv")});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string csv = ReadFile(dir.Path("r.csv"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
  EXPECT_THAT(csv, HasSubstr(",1,normal,0,0,0.0"));
  EXPECT_THAT(csv, HasSubstr(",200,none,5,0,3,"));
}

TEST(ServeBench, NobodyThereIsExitCode5) {
  int port = 0;
  {
    port = FakeServer([](const FakeRequest&, FakeConnection&) {}).port();
  }
  const CapturedRun run = RunBench({"--url", "http://127.0.0.1:" + std::to_string(port)});
  EXPECT_EQ(run.code, kExitUnavailable);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("cannot connect; is a server running there?"));
}

TEST(ServeBench, AServerThatRefusesEverythingIsExitCode5) {
  const FakeServer server([](const FakeRequest& request, FakeConnection& connection) {
    if (request.body.find("\"stream\"") == std::string::npos) return Model(0)(request, connection);
    connection.SendResponse(429, "application/json", "{}");
  });
  const CapturedRun run = RunBench({"--url", server.url()});
  EXPECT_EQ(run.code, kExitUnavailable);
  EXPECT_THAT(run.err, HasSubstr("HTTP 429"));
}

TEST(ServeBench, StrictIsExitCode6AfterAFailure) {
  std::atomic<int> streams = 0;
  const FakeServer server([&](const FakeRequest& request, FakeConnection& connection) {
    const bool is_stream = request.body.find("\"stream\"") != std::string::npos;
    if (is_stream && streams++ % 4 == 3) return;
    Model(0)(request, connection);
  });
  const std::vector<std::string> args = {"--url", server.url(), "--requests", "8", "-n", "2"};
  const CapturedRun lenient = RunBench(args);
  EXPECT_EQ(lenient.code, 0) << lenient.err;
  EXPECT_THAT(lenient.out, HasSubstr("| failed | 2: 2 closed early |"));
  std::vector<std::string> strict_args = args;
  strict_args.push_back("--strict");
  const CapturedRun strict = RunBench(strict_args);
  EXPECT_EQ(strict.code, kExitVerification);
  EXPECT_THAT(strict.out, HasSubstr("| failed | 2: 2 closed early |"));
}

TEST(ServeBench, RefusalsOfMalformedRequestsAreNoFailure) {
  const FakeServer server([](const FakeRequest& request, FakeConnection& connection) {
    // Only requests that are not malformed have both.
    const bool is_right =
        request.head.find("Connection: close") != std::string::npos &&
        (request.path != "/v1/completions" || request.body.find("ignore_eos") != std::string::npos);
    if (is_right) return Model(0)(request, connection);
    connection.SendResponse(400, "application/json", "{}");
  });
  const CapturedRun run = RunBench(
      {"--url", server.url(), "--requests", "20", "-n", "2", "--bad-share", "1", "--strict"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("| malformed: sent, accepted, 5xx | 20, "));
}

TEST(ServeBench, RefusesFlagsThatContradict) {
  const std::string url = "http://127.0.0.1:1";
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {},
           {"--url", url, "--url", url, "--url", url},
           {"--url", "ftp://x"},
           {"--url", url, "--users", "2", "--rate", "3"},
           {"--url", url, "--users", "0"},
           {"--url", url, "-p", "none"},
           {"--url", url, "-n", "uniform:9,1"},
           {"--url", url, "--cancel-share", "0.7", "--bad-share", "0.7"},
           {"--url", url, "--extra", "[1]"},
           {"--url", url, "--api-key", "a\r\nX: y"},
           {"--url", url, "--prefix-share", "2"}}) {
    const CapturedRun run = RunBench(args);
    EXPECT_EQ(run.code, kExitUsage) << ::testing::PrintToString(args) << run.err;
  }
}

TEST(RatioOf, ComparesRoundByRound) {
  ServerRuns first = {.url = "a", .runs = std::vector<RunResult>(2)};
  ServerRuns second = first;
  RequestResult request;
  request.usage.output_tokens = 100;
  for (ServerRuns* server : {&first, &second}) {
    for (RunResult& run : server->runs) run.requests = {request};
  }
  first.runs[0].seconds = 1;
  first.runs[1].seconds = 2;
  second.runs[0].seconds = 2;
  second.runs[1].seconds = 8;
  const Spread ratio = RatioOf(first, second);
  EXPECT_EQ(ratio.low, 2);
  EXPECT_EQ(ratio.high, 4);
  EXPECT_EQ(ratio.mean, 3);
}

}  // namespace
}  // namespace infer::load
