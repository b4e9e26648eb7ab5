// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/serving/token_request.h"

namespace infer::metrics {

// What the HTTP layer knows about a request when its connection is done with it.
struct HttpAccess {
  std::string request_id = {};
  std::chrono::system_clock::time_point time = {};  // arrival
  std::string method = {};
  std::string path = {};
  int status = 0;
  std::string peer = {};
  std::string key_name = {};
  uint64_t sent_bytes = 0;
  double duration_ms = 0;
  bool is_cut = false;  // the client left before the end
};

// What the runner knows about a request that ran the model.
struct ModelAccess {
  std::string model = {};
  RequestSummary summary = {};
  std::string end_reason = {};  // "stop", "length", "cancelled", "error: ..."
  bool has_ended_well = true;   // false: an error or a cancel
  int prompts = 1;              // of which these are the sums

  // Adds another prompt of the same HTTP request. The reasons are those of the first prompt, or of
  // the first that did not end well.
  void Add(const ModelAccess& other);
};

// Returns a line of JSON in ASCII, with its newline: what clients sent cannot begin a line of its
// own or reach a terminal as a control character. Long texts are cut.
std::string AccessLine(const HttpAccess& http, const std::optional<ModelAccess>& model);

}  // namespace infer::metrics
