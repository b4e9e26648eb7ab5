// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/bench/serve/load_result.h"

namespace infer::load {

// Mean, percentiles and largest of a set of times, in milliseconds; all 0 if there are none.
struct Times {
  int64_t count = 0;
  double mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
};

// A percentile is the least value that is not below this share of all values.
Times SummarizeMs(std::vector<double> seconds);

// The figures of one or several runs against a server.
struct LoadSummary {
  int64_t requests = 0;   // complete answers of normal requests
  int64_t failed = 0;     // normal requests and intruders without one
  int64_t cancelled = 0;  // clients that left
  int64_t malformed = 0;
  int64_t malformed_accepted = 0;       // answered with 200
  int64_t malformed_server_errors = 0;  // answered with 5xx other than 503
  std::map<std::string, int64_t> failures;
  double seconds = 0;
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;
  int64_t output_tokens = 0;
  Times first_token;
  Times gap;  // between two events with text, of all answers
  Times latency;
  Times intruder_first_token;
  Times intruder_gap;          // gaps of others that overlap the time to an intruder's first token
  double slowest_user = 0;     // mean latency of the slowest user over that of all users
  double slowest_request = 0;  // the largest latency over the mean

  double requests_per_s() const {
    return seconds > 0 ? static_cast<double>(requests) / seconds : 0;
  }
  double output_tokens_per_s() const {
    return seconds > 0 ? static_cast<double>(output_tokens) / seconds : 0;
  }
};

LoadSummary Summarize(std::span<const RunResult> runs);

}  // namespace infer::load
