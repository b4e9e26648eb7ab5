// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/server_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "absl/status/status.h"
#include "tests/tools/serve/metrics/strict_exposition.h"
#include "tools/serve/metrics/request_timer.h"

namespace infer::metrics {
namespace {

using std::chrono::milliseconds;

const std::string kLabels = R"({model_name="a model",engine="0"})";

RequestSummary Summary() {
  RequestSummary summary;
  summary.prompt_tokens = 100;
  summary.cached_tokens = 64;
  summary.generated_tokens = 20;
  summary.drafted_tokens = 6;
  summary.accepted_tokens = 4;
  summary.queue_ms = 30;
  summary.prefill_ms = 200;
  summary.decode_ms = 1000;
  return summary;
}

RunnerState State() {
  RunnerState state;
  state.running = 3;
  state.waiting = 2;
  state.blocks = 100;
  state.free_blocks = 50;
  state.cached_blocks = 25;
  state.block_positions = 64;
  state.steps = 7;
  state.prompt_tokens = 1000;
  state.cached_tokens = 600;
  state.computed_prompt_tokens = 400;
  state.generated_tokens = 80;
  state.preemptions = 1;
  return state;
}

class ServerMetricsTest : public ::testing::Test {
 protected:
  Samples Read() {
    const auto samples = ReadStrictly(metrics_.Render(State(), gauges_));
    EXPECT_TRUE(samples.ok()) << samples.status();
    return samples.value_or(Samples());
  }

  ServerMetrics metrics_{"a model", "1.2", {"/health", "/v1/chat/completions"}};
  ServerGauges gauges_;
};

TEST_F(ServerMetricsTest, AnIdleServersPageIsValid) {
  const Samples samples = Read();
  EXPECT_EQ(samples.at("vllm:e2e_request_latency_seconds_count" + kLabels), 0);
  EXPECT_EQ(samples.at(R"(infer_build_info{version="1.2",model_name="a model"})"), 1);
}

TEST_F(ServerMetricsTest, ShowsTheRunner) {
  const Samples samples = Read();
  EXPECT_EQ(samples.at("vllm:num_requests_running" + kLabels), 3);
  EXPECT_EQ(samples.at("vllm:num_requests_waiting" + kLabels), 2);
  // Cached blocks are free when somebody needs them, as in vLLM's figure.
  EXPECT_EQ(samples.at("vllm:kv_cache_usage_perc" + kLabels), 0.25);
  EXPECT_EQ(samples.at("vllm:prefix_cache_queries_total" + kLabels), 1000);
  EXPECT_EQ(samples.at("vllm:prefix_cache_hits_total" + kLabels), 600);
  EXPECT_EQ(samples.at("vllm:generation_tokens_total" + kLabels), 80);
  EXPECT_EQ(samples.at(R"(infer_kv_blocks{model_name="a model",engine="0",state="cached"})"), 25);
}

TEST_F(ServerMetricsTest, RecordsTheEndOfRequests) {
  metrics_.RecordEnd(Summary(), Finish::kLength, 1.25);
  metrics_.RecordEnd({}, Finish::kAbort, 0.5);
  const Samples samples = Read();
  const auto finished = [&](const std::string& reason) {
    return samples.at(
        "vllm:request_success_total{model_name=\"a model\",engine=\"0\","
        "finished_reason=\"" +
        reason + "\"}");
  };
  EXPECT_EQ(finished("length"), 1);
  EXPECT_EQ(finished("abort"), 1);
  EXPECT_EQ(finished("stop"), 0);
  EXPECT_EQ(samples.at("vllm:e2e_request_latency_seconds_sum" + kLabels), 1.75);
  EXPECT_EQ(samples.at("vllm:request_queue_time_seconds_sum" + kLabels), 0.03);
  EXPECT_EQ(samples.at("vllm:request_prefill_time_seconds_count" + kLabels), 1)
      << "a request without a token has no prefill time";
  EXPECT_EQ(samples.at("vllm:request_inference_time_seconds_sum" + kLabels), 1.2);
  EXPECT_EQ(samples.at("vllm:spec_decode_num_accepted_tokens_total" + kLabels), 4);
}

TEST_F(ServerMetricsTest, TakesEachStepOnce) {
  std::vector<StepRecord> steps(3);
  for (size_t i = 0; i < 3; ++i) {
    steps[i].number = 10 + i;
    steps[i].call_ms = 20;
    steps[i].sample_ms = 4;
    steps[i].report_ms = 1;
    steps[i].decode_rows = 8;
    steps[i].prompt_tokens = 56;
  }
  metrics_.AddSteps(steps);
  EXPECT_EQ(metrics_.next_step(), 13u);
  metrics_.AddSteps(steps);
  const Samples samples = Read();
  EXPECT_EQ(samples.at("infer_step_seconds_count" + kLabels), 3);
  EXPECT_NEAR(samples.at("infer_step_seconds_sum" + kLabels), 0.075, 1e-12);
  EXPECT_EQ(samples.at("infer_step_requests_sum" + kLabels), 24);
  EXPECT_EQ(samples.at("vllm:iteration_tokens_total_sum" + kLabels), 192);
}

TEST_F(ServerMetricsTest, ClientsCannotMakeSeries) {
  for (int i = 0; i < 1000; ++i) metrics_.RecordHttp("/no/" + std::to_string(i), 200 + i, 10);
  metrics_.RecordHttp("/health", 200, 5);
  const Samples samples = Read();
  EXPECT_EQ(samples.at(R"(infer_http_requests_total{path="/health",status="200"})"), 1);
  EXPECT_EQ(samples.at(R"(infer_http_requests_total{path="other",status="200"})"), 1);
  EXPECT_GT(samples.at(R"(infer_http_requests_total{path="other",status="other"})"), 900);
  EXPECT_LT(samples.size(), 400u);
}

TEST_F(ServerMetricsTest, TimerMeasuresTokensOfEachChoice) {
  const RequestTimer::Clock::time_point start;
  RequestTimer timer(&metrics_, start);
  timer.OnToken(0, start + milliseconds(250));
  timer.OnToken(1, start + milliseconds(251));
  timer.OnToken(0, start + milliseconds(300));
  timer.OnToken(1, start + milliseconds(301));
  timer.OnChoiceEnd(ChoiceEnd::kMaxTokens);
  timer.OnEnd(Summary(), absl::OkStatus(), start + milliseconds(500));
  const Samples samples = Read();
  EXPECT_EQ(samples.at("vllm:time_to_first_token_seconds_sum" + kLabels), 0.25);
  EXPECT_EQ(samples.at("vllm:time_to_first_token_seconds_count" + kLabels), 1);
  EXPECT_EQ(samples.at("vllm:inter_token_latency_seconds_count" + kLabels), 2);
  EXPECT_EQ(samples.at("vllm:inter_token_latency_seconds_sum" + kLabels), 0.1);
  EXPECT_EQ(samples.at("vllm:e2e_request_latency_seconds_sum" + kLabels), 0.5);
  EXPECT_EQ(samples.at("vllm:request_success_total{model_name=\"a model\",engine=\"0\","
                       "finished_reason=\"length\"}"),
            1);
}

TEST_F(ServerMetricsTest, TimerTellsACancelFromAFailure) {
  const RequestTimer::Clock::time_point start;
  RequestTimer(&metrics_, start).OnEnd({}, absl::CancelledError(""), start);
  RequestTimer(&metrics_, start).OnEnd({}, absl::InternalError(""), start);
  EXPECT_THAT(metrics_.Render(State(), gauges_),
              ::testing::AllOf(::testing::HasSubstr("finished_reason=\"abort\"} 1\n"),
                               ::testing::HasSubstr("finished_reason=\"error\"} 1\n")));
}

// The README's table is the documentation of the names: it must have each of them.
TEST_F(ServerMetricsTest, ReadmeNamesEveryMetric) {
  metrics_.RecordHttp("/health", 200, 5);
  std::ifstream file(INFER_SOURCE_DIR "/tools/serve/metrics/README.md");
  const std::string readme((std::istreambuf_iterator<char>(file)), {});
  const std::string page = metrics_.Render(State(), gauges_);
  const std::regex type_line("# TYPE (\\S+) (\\S+)");
  int count = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), type_line), end; it != end; ++it) {
    const std::string row = "| `" + (*it)[1].str() + "` | " + (*it)[2].str() + " |";
    EXPECT_NE(readme.find(row), readme.npos) << "no row " << row;
    ++count;
  }
  EXPECT_GT(count, 40);
}

// Prometheus' own checker, of Debian's package `prometheus`.
TEST_F(ServerMetricsTest, PromtoolAcceptsThePage) {
  if (std::system("promtool --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "promtool is not installed; Debian's package prometheus has it";
  }
  metrics_.RecordEnd(Summary(), Finish::kStop, 1.25);
  metrics_.RecordHttp("/health", 200, 5);
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string stem = (folder / ("promtool-" + std::to_string(getpid()))).string();
  std::ofstream(stem + ".txt") << metrics_.Render(State(), gauges_);
  const int status =
      std::system(("promtool check metrics <" + stem + ".txt >" + stem + ".out 2>&1").c_str());
  std::ifstream file(stem + ".out");
  // 3 means remarks on style. vLLM's names are what they are; ours get none.
  EXPECT_TRUE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3) << status;
  for (std::string line; std::getline(file, line);) EXPECT_TRUE(line.starts_with("vllm:")) << line;
  std::filesystem::remove(stem + ".txt");
  std::filesystem::remove(stem + ".out");
}

}  // namespace
}  // namespace infer::metrics
