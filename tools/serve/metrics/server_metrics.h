// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/serving/runner_state.h"
#include "runtime/serving/token_request.h"
#include "tools/serve/metrics/histogram.h"
#include "tools/serve/metrics/http_counters.h"

namespace infer::metrics {

// What only the HTTP layer and the log know, at the moment of a scrape. Totals count since the
// start.
struct ServerGauges {
  double heartbeat_age_seconds = 0;
  uint64_t open_connections = 0;
  uint64_t accepted_connections = 0;
  uint64_t refused_connections = 0;  // above a limit
  uint64_t accept_failures = 0;
  uint64_t unauthorized_requests = 0;
  uint64_t read_timeouts = 0;
  uint64_t write_timeouts = 0;
  uint64_t lost_clients = 0;
  int64_t dropped_log_lines = 0;
};

enum class Finish { kStop, kLength, kAbort, kError };
// Returns how vLLM's `finished_reason` calls an end.
Finish FinishOf(ChoiceEnd end);

// Collects what a server's requests and steps took, and writes the page that Prometheus scrapes.
// All functions may be called from any thread; those that record take no lock.
class ServerMetrics {
 public:
  // `routes` are the paths that get a series of their own.
  ServerMetrics(std::string model, std::string version, std::vector<std::string> routes);

  void RecordFirstToken(double seconds) { first_token_.Record(seconds); }
  void RecordTokenGap(double seconds) { token_gap_.Record(seconds); }
  // `latency_seconds` is the time from the arrival of the request to its end.
  void RecordEnd(const RequestSummary& summary, Finish finish, double latency_seconds);
  void RecordHttp(std::string_view path, int status, uint64_t sent_bytes) {
    http_.Record(path, status, sent_bytes);
  }
  // Takes steps in the order of their numbers, each once: those that it has seen are skipped, so a
  // caller may pass `runner.steps(next_step())` as often as it likes.
  void AddSteps(std::span<const StepRecord> steps);
  uint64_t next_step() const;

  // Returns the page; its type is kExpositionType.
  std::string Render(const RunnerState& state, const ServerGauges& gauges) const;

 private:
  void WriteRunner(Exposition& out, const RunnerState& state) const;
  void WriteRequests(Exposition& out) const;
  void WriteSteps(Exposition& out, const RunnerState& state) const;
  void WriteServer(Exposition& out, const ServerGauges& gauges) const;

  const std::string model_;
  const std::string version_;
  HttpCounters http_;
  Histogram first_token_;
  Histogram token_gap_;
  Histogram latency_;
  Histogram queue_;
  Histogram prefill_;
  Histogram decode_;
  Histogram inference_;
  Histogram prompt_tokens_;
  Histogram generated_tokens_;
  Histogram step_seconds_;
  Histogram step_tokens_;
  Histogram step_requests_;
  std::atomic<uint64_t> finished_[4] = {};
  std::atomic<int64_t> drafted_tokens_ = 0;
  std::atomic<int64_t> accepted_tokens_ = 0;
  mutable std::mutex steps_mutex_;  // the runner never takes it
  uint64_t next_step_ = 0;
};

}  // namespace infer::metrics
