// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace infer {

// Figures of one run. Speeds count the time in the forward passes alone: tokenising, sampling and
// writing are outside. A figure that was never measured is 0.
struct Metrics {
  double load_ms = 0;                 // opening, compiling and preparing the model
  double time_to_first_token_ms = 0;  // of the last request: until its first token is known
  int64_t prefill_tokens = 0;         // tokens of prompts
  double prefill_ms = 0;              // in their forward passes
  double prefill_tokens_per_second = 0;
  int64_t decode_tokens = 0;  // tokens that went through decode passes
  double decode_ms = 0;
  double decode_tokens_per_second = 0;
  int64_t forwards = 0;           // decode passes
  double per_forward_ms_min = 0;  // of the decode passes: those of a prompt differ in length
  double per_forward_ms_max = 0;
  double per_forward_ms_mean = 0;
  uint64_t peak_memory_bytes = 0;  // resident at most, mapped weights included
};

struct MetricField {
  std::string_view name;
  std::variant<int64_t, double> value;
};

// Every figure with its name, in order. Text and JSON are both made of this list, so they cannot
// drift apart.
std::vector<MetricField> Fields(const Metrics& metrics);

// A line for each figure: name, spaces, value.
std::string ToText(const Metrics& metrics);

// Most memory this process had resident so far; 0 if the system does not say.
uint64_t PeakMemoryBytes();

// Adds up what a run reports. Allocates nothing.
class MetricsRecorder {
 public:
  void LoadDone(double ms) { load_ms_ = ms; }
  // A prompt begins: its first token will count.
  void BeginRequest() { has_first_token_ = false; }
  // The first call of a request counts, later ones do not.
  void FirstToken(double ms);
  void ForwardDone(int64_t tokens, double ms, bool is_prefill);

  // The figures so far, with the peak memory of this moment.
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
};

}  // namespace infer
