// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/server_metrics.h"

#include <utility>

#include "tools/serve/metrics/process_stats.h"

namespace infer::metrics {
namespace {

// Seconds until something is seen. Finer than vLLM's below 0.3 s, where small models live.
constexpr double kWaits[] = {0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08,
                             0.1,   0.15,   0.25,  0.5,  0.75, 1,    2.5,  5,
                             7.5,   10,     20,    40,   80,   160,  640,  2560};
// Seconds between two tokens, and of a step.
constexpr double kGaps[] = {0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025,
                            0.03,   0.04,  0.05,   0.06,  0.075,  0.1,  0.15,  0.2,  0.3,
                            0.4,    0.5,   0.75,   1,     2.5,    5,    10,    20,   80};
constexpr double kTokens[] = {1,   2,    5,    10,   20,    50,    100,   200,
                              500, 1000, 2000, 5000, 10000, 20000, 50000, 100000};
constexpr double kStepTokens[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr double kStepRequests[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256};

constexpr std::string_view kFinishNames[] = {"stop", "length", "abort", "error"};

constexpr double Seconds(double ms) { return ms / 1e3; }

}  // namespace

Finish FinishOf(ChoiceEnd end) {
  switch (end) {
    case ChoiceEnd::kEndToken:
    case ChoiceEnd::kListener:
      return Finish::kStop;
    case ChoiceEnd::kMaxTokens:
    case ChoiceEnd::kContextFull:
      return Finish::kLength;
    case ChoiceEnd::kCancelled:
      return Finish::kAbort;
    case ChoiceEnd::kError:
      return Finish::kError;
  }
  return Finish::kError;
}

ServerMetrics::ServerMetrics(std::string model, std::string version,
                             std::vector<std::string> routes)
    : model_(std::move(model)),
      version_(std::move(version)),
      http_(std::move(routes)),
      first_token_(kWaits),
      token_gap_(kGaps),
      latency_(kWaits),
      queue_(kWaits),
      prefill_(kWaits),
      decode_(kWaits),
      inference_(kWaits),
      prompt_tokens_(kTokens),
      generated_tokens_(kTokens),
      step_seconds_(kGaps),
      step_tokens_(kStepTokens),
      step_requests_(kStepRequests) {}

void ServerMetrics::RecordEnd(const RequestSummary& summary, Finish finish,
                              double latency_seconds) {
  latency_.Record(latency_seconds);
  queue_.Record(Seconds(summary.queue_ms));
  // A request that left before its first token has no such times.
  if (summary.generated_tokens > 0) {
    prefill_.Record(Seconds(summary.prefill_ms));
    decode_.Record(Seconds(summary.decode_ms));
    inference_.Record(Seconds(summary.prefill_ms + summary.decode_ms));
  }
  prompt_tokens_.Record(static_cast<double>(summary.prompt_tokens));
  generated_tokens_.Record(static_cast<double>(summary.generated_tokens));
  finished_[static_cast<size_t>(finish)].fetch_add(1, std::memory_order_relaxed);
  drafted_tokens_.fetch_add(summary.drafted_tokens, std::memory_order_relaxed);
  accepted_tokens_.fetch_add(summary.accepted_tokens, std::memory_order_relaxed);
}

void ServerMetrics::AddSteps(std::span<const StepRecord> steps) {
  const std::lock_guard lock(steps_mutex_);
  for (const StepRecord& step : steps) {
    if (step.number < next_step_) continue;
    next_step_ = step.number + 1;
    step_seconds_.Record(Seconds(step.call_ms + step.sample_ms + step.report_ms));
    step_tokens_.Record(step.decode_rows + step.draft_tokens + step.prompt_tokens);
    step_requests_.Record(step.decode_rows);
  }
}

uint64_t ServerMetrics::next_step() const {
  const std::lock_guard lock(steps_mutex_);
  return next_step_;
}

std::string ServerMetrics::Render(const RunnerState& state, const ServerGauges& gauges) const {
  // vLLM's labels: dashboards select by them.
  Exposition out({{"model_name", model_}, {"engine", "0"}});
  WriteRunner(out, state);
  WriteRequests(out);
  WriteSteps(out, state);
  std::string text = out.Take();
  Exposition plain({});
  WriteServer(plain, gauges);
  WriteProcessStats(plain, ReadProcessStats());
  return text + plain.Take();
}

void ServerMetrics::WriteRunner(Exposition& out, const RunnerState& state) const {
  const auto number = [](auto value) { return static_cast<double>(value); };
  const int64_t used = state.blocks - state.free_blocks - state.cached_blocks;
  out.Gauge("vllm:num_requests_running", "Requests whose tokens are in the model's calls.",
            state.running);
  out.Gauge("vllm:num_requests_waiting", "Requests in the queue.", state.waiting);
  out.Gauge("vllm:kv_cache_usage_perc",
            "Share of the KV blocks that running requests hold, from 0 to 1.",
            state.blocks > 0 ? number(used) / number(state.blocks) : 0);
  out.Counter("vllm:prompt_tokens_total", "Prompt tokens of admitted requests, cached ones too.",
              number(state.prompt_tokens));
  out.Counter("vllm:generation_tokens_total", "Tokens generated.", number(state.generated_tokens));
  out.Counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache.",
              number(state.prompt_tokens));
  out.Counter("vllm:prefix_cache_hits_total", "Prompt tokens found in the prefix cache.",
              number(state.cached_tokens));
  out.Counter("vllm:num_preemptions_total",
              "Requests that lost their blocks and were queued again.", number(state.preemptions));
  out.Counter("infer_computed_prompt_tokens_total", "Prompt tokens that the model ran.",
              number(state.computed_prompt_tokens));
  out.Counter("infer_cancelled_requests_total", "Requests whose client left before the end.",
              number(state.cancelled_requests));
  out.Counter("infer_refused_requests_total", "Requests refused because the queue was full.",
              number(state.refused_requests));
  out.Counter("infer_evicted_blocks_total", "Cached KV blocks given to another request.",
              number(state.evicted_blocks));
  out.Metric("infer_kv_blocks", "gauge",
             "KV blocks by state; cached ones are in the prefix cache alone.");
  out.Sample(number(used), {{"state", "used"}});
  out.Sample(number(state.cached_blocks), {{"state", "cached"}});
  out.Sample(number(state.free_blocks), {{"state", "free"}});
  out.Gauge("infer_kv_block_positions", "Positions in a KV block.", state.block_positions);
}

void ServerMetrics::WriteRequests(Exposition& out) const {
  out.Metric("vllm:request_success_total", "counter", "Requests that have ended, by reason.");
  for (size_t i = 0; i < std::size(kFinishNames); ++i) {
    out.Sample(static_cast<double>(finished_[i].load(std::memory_order_relaxed)),
               {{"finished_reason", std::string(kFinishNames[i])}});
  }
  out.Distribution("vllm:time_to_first_token_seconds", "From the request to its first token.",
                   first_token_);
  out.Distribution("vllm:inter_token_latency_seconds", "Between two tokens of an answer.",
                   token_gap_);
  out.Distribution("vllm:e2e_request_latency_seconds", "From the request to its end.", latency_);
  out.Distribution("vllm:request_queue_time_seconds", "Time of a request in the queue.", queue_);
  out.Distribution("vllm:request_prefill_time_seconds",
                   "From the first call with a request to its first token.", prefill_);
  out.Distribution("vllm:request_decode_time_seconds", "From the first token to the last.",
                   decode_);
  out.Distribution("vllm:request_inference_time_seconds", "Prefill and decode together.",
                   inference_);
  out.Distribution("vllm:request_prompt_tokens", "Prompt tokens of a request.", prompt_tokens_);
  out.Distribution("vllm:request_generation_tokens", "Generated tokens of a request.",
                   generated_tokens_);
  out.Counter("vllm:spec_decode_num_draft_tokens_total", "Tokens drafted.",
              static_cast<double>(drafted_tokens_.load(std::memory_order_relaxed)));
  out.Counter("vllm:spec_decode_num_accepted_tokens_total", "Drafted tokens that were kept.",
              static_cast<double>(accepted_tokens_.load(std::memory_order_relaxed)));
}

void ServerMetrics::WriteSteps(Exposition& out, const RunnerState& state) const {
  out.Counter("infer_steps_total", "Calls of the model.", static_cast<double>(state.steps));
  out.Distribution("infer_step_seconds", "Time of a step: the model, sampling, reporting.",
                   step_seconds_);
  out.Distribution("infer_step_requests", "Requests that got a token in a step.", step_requests_);
  out.Distribution("vllm:iteration_tokens_total", "Tokens in a step, of prompts and answers.",
                   step_tokens_);
}

void ServerMetrics::WriteServer(Exposition& out, const ServerGauges& gauges) const {
  const auto number = [](auto value) { return static_cast<double>(value); };
  http_.Write(out);
  out.Gauge("infer_heartbeat_age_seconds", "Time since the engine's thread last moved.",
            gauges.heartbeat_age_seconds);
  out.Gauge("infer_http_connections", "Open connections.", number(gauges.open_connections));
  out.Counter("infer_http_accepted_connections_total", "Connections accepted.",
              number(gauges.accepted_connections));
  out.Counter("infer_http_refused_connections_total", "Connections refused for a limit.",
              number(gauges.refused_connections));
  out.Counter("infer_http_accept_failures_total", "Connections that could not be accepted.",
              number(gauges.accept_failures));
  out.Counter("infer_http_unauthorized_requests_total", "Requests without a valid API key.",
              number(gauges.unauthorized_requests));
  out.Metric("infer_http_timeouts_total", "counter", "Clients that sent or read too slowly.");
  out.Sample(number(gauges.read_timeouts), {{"direction", "read"}});
  out.Sample(number(gauges.write_timeouts), {{"direction", "write"}});
  out.Counter("infer_http_lost_clients_total", "Clients that left before their answer's end.",
              number(gauges.lost_clients));
  out.Counter("infer_access_log_dropped_lines_total",
              "Lines that the access log could not take or write.",
              number(gauges.dropped_log_lines));
  out.Metric("infer_build_info", "gauge", "Always 1; the labels say what runs.");
  out.Sample(1, {{"version", version_}, {"model_name", model_}});
}

}  // namespace infer::metrics
