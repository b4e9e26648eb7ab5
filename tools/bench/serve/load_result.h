// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tools/bench/serve/exchange.h"
#include "tools/bench/serve/request_source.h"
#include "tools/bench/serve/stream_reader.h"

namespace infer::load {

// What became of one request. Times are seconds since the run began.
struct RequestResult {
  RequestKind kind = RequestKind::kNormal;
  int64_t index = 0;
  int32_t user = 0;
  double due_s = 0;  // when it should have been sent; waits for the client itself count too
  double end_s = 0;
  int status = 0;  // of HTTP; 0 without a response
  Failure failure = Failure::kNone;
  Usage usage = {};
  std::vector<float> token_s = {};  // arrivals of events with text, since due_s

  bool is_ok() const { return failure == Failure::kNone && kind != RequestKind::kMalformed; }
  double latency_s() const { return end_s - due_s; }
  // The server's count, or that of the events where it gives none.
  int64_t output_tokens() const {
    return usage.output_tokens >= 0 ? usage.output_tokens : static_cast<int64_t>(token_s.size());
  }
};

struct RunResult {
  std::vector<RequestResult> requests;
  double seconds = 0;  // from the first request to the last answer
};

}  // namespace infer::load
