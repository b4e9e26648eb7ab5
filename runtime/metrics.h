// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/drafter.h"

namespace infer {

// Figures of one run. Speeds count only the time in forward passes: tokenising, sampling and output
// are excluded. A figure that was never measured is 0.
struct Metrics {
  double load_ms = 0;                 // opening, compiling and preparing the model
  double time_to_first_token_ms = 0;  // of the last request
  int64_t prefill_tokens = 0;         // tokens of prompts
  double prefill_ms = 0;              // time in their forward passes
  double prefill_tokens_per_second = 0;
  int64_t decode_tokens = 0;  // tokens that went through decode passes
  double decode_ms = 0;
  double decode_tokens_per_second = 0;
  int64_t forwards = 0;           // decode passes
  double per_forward_ms_min = 0;  // of decode passes: those of a prompt vary in length
  double per_forward_ms_max = 0;
  double per_forward_ms_mean = 0;
  int64_t draft_proposed = 0;      // tokens that were guessed ahead
  int64_t draft_accepted = 0;      // those of them that became text; they are decode_tokens too
  double draft_gain = 0;           // times faster than without drafts; 0: there were none
  uint64_t peak_memory_bytes = 0;  // peak resident size, including mapped weights
};

struct MetricField {
  std::string_view name;
  std::variant<int64_t, double> value;
};

// Returns every figure with its name, in order. Text and JSON are both generated from this list, so
// they cannot diverge.
std::vector<MetricField> Fields(const Metrics& metrics);

// Formats one line per figure: name, spaces, value.
std::string ToText(const Metrics& metrics);

// Returns the peak resident memory of this process; 0 if the system does not report it.
uint64_t PeakMemoryBytes();

// Accumulates the figures of a run. Allocates nothing.
class MetricsRecorder {
 public:
  void LoadDone(double ms) { load_ms_ = ms; }
  // Starts a request: its first token will be timed.
  void BeginRequest() { has_first_token_ = false; }
  // Counts only the first call of a request.
  void FirstToken(double ms);
  void ForwardDone(int64_t tokens, double ms, bool is_prefill);
  // Guessing tokens for a decode pass took this long; part of its time.
  void DraftMade(double ms) { decode_ms_ += ms; }
  // A decode pass that may have run a draft after its token.
  void DraftDone(const DraftCounts& counts);

  // Returns the figures so far, with the current peak memory.
  Metrics Finish() const;

 private:
  double load_ms_ = 0;
  double first_token_ms_ = 0;
  bool has_first_token_ = false;
  int64_t prefill_tokens_ = 0;
  double prefill_ms_ = 0;
  int64_t decode_tokens_ = 0;
  double decode_ms_ = 0;
  int64_t forwards_ = 0;
  double forward_ms_min_ = 0;
  double forward_ms_max_ = 0;
  DraftCounts drafts_;
};

}  // namespace infer
