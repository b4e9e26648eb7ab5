// SPDX-License-Identifier: Apache-2.0
//
// What a RequestRunner is doing, for metrics and live views.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/serving/token_request.h"

namespace infer {

// One call of the model.
struct StepRecord {
  uint64_t number = 0;
  double start_ms = 0;  // since the runner began
  double call_ms = 0;   // the model
  double sample_ms = 0;
  double report_ms = 0;     // listeners
  double estimated_ms = 0;  // what the scheduler expected of the call
  int32_t decode_rows = 0;  // requests that got a token
  int32_t draft_tokens = 0;
  int32_t prompt_tokens = 0;  // of prompts in the call
  int32_t regime = 0;         // index in the Program
  int32_t running = 0;
  int32_t waiting = 0;
};

struct RunningRequest {
  RequestId id = 0;
  std::string tenant;
  bool is_waiting = false;
  bool is_paused = false;
  int64_t prompt_tokens = 0;
  int64_t prompt_done = 0;  // cached or run
  int64_t cached_tokens = 0;
  int64_t generated_tokens = 0;
  double age_ms = 0;
};

// Totals count since the runner began.
struct RunnerState {
  int32_t running = 0;
  int32_t waiting = 0;
  int64_t blocks = 0;
  int64_t free_blocks = 0;    // held by nobody, not even the prefix tree
  int64_t cached_blocks = 0;  // held by the prefix tree alone: free when needed
  int32_t block_positions = 0;
  uint64_t steps = 0;
  int64_t prompt_tokens = 0;  // of admitted requests
  int64_t cached_tokens = 0;  // those of them that came from the cache
  int64_t computed_prompt_tokens = 0;
  int64_t generated_tokens = 0;
  int64_t preemptions = 0;
  int64_t evicted_blocks = 0;
  int64_t ended_requests = 0;
  int64_t cancelled_requests = 0;
  int64_t refused_requests = 0;  // queue full
  std::vector<RunningRequest> requests;
};

}  // namespace infer
