// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

double PerSecond(int64_t count, double ms) {
  return ms > 0 ? static_cast<double>(count) * 1000.0 / ms : 0.0;
}

}  // namespace

std::vector<MetricField> Fields(const Metrics& metrics) {
  return {
      {"load_ms", metrics.load_ms},
      {"time_to_first_token_ms", metrics.time_to_first_token_ms},
      {"prefill_tokens", metrics.prefill_tokens},
      {"prefill_ms", metrics.prefill_ms},
      {"prefill_tokens_per_second", metrics.prefill_tokens_per_second},
      {"decode_tokens", metrics.decode_tokens},
      {"decode_ms", metrics.decode_ms},
      {"decode_tokens_per_second", metrics.decode_tokens_per_second},
      {"forwards", metrics.forwards},
      {"per_forward_ms_min", metrics.per_forward_ms_min},
      {"per_forward_ms_max", metrics.per_forward_ms_max},
      {"per_forward_ms_mean", metrics.per_forward_ms_mean},
      {"draft_proposed", metrics.draft_proposed},
      {"draft_accepted", metrics.draft_accepted},
      {"draft_gain", metrics.draft_gain},
      {"peak_memory_bytes", static_cast<int64_t>(metrics.peak_memory_bytes)},
  };
}

std::string ToText(const Metrics& metrics) {
  std::string text;
  for (const MetricField& field : Fields(metrics)) {
    StrAppend(&text, absl::StrFormat("%-26s ", ToAbsl(field.name)));
    if (const int64_t* count = std::get_if<int64_t>(&field.value)) {
      StrAppend(&text, *count, "\n");
    } else {
      StrAppend(&text, absl::StrFormat("%.2f\n", std::get<double>(field.value)));
    }
  }
  return text;
}

uint64_t PeakMemoryBytes() {
#ifdef __linux__
  // VmHWM instead of getrusage, which keeps the peak of the program that called exec.
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  unsigned long long kibibytes = 0;
  char line[256];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::sscanf(line, "VmHWM: %llu kB", &kibibytes) == 1) break;
  }
  std::fclose(file);
  return static_cast<uint64_t>(kibibytes) * 1024;
#else
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<uint64_t>(usage.ru_maxrss);  // bytes on macOS
#endif
}

void MetricsRecorder::FirstToken(double ms) {
  if (has_first_token_) return;
  has_first_token_ = true;
  first_token_ms_ = ms;
}

void MetricsRecorder::ForwardDone(int64_t tokens, double ms, bool is_prefill) {
  if (is_prefill) {
    prefill_tokens_ += tokens;
    prefill_ms_ += ms;
    return;
  }
  forward_ms_min_ = forwards_ == 0 ? ms : std::min(forward_ms_min_, ms);
  forward_ms_max_ = std::max(forward_ms_max_, ms);
  ++forwards_;
  decode_tokens_ += tokens;
  decode_ms_ += ms;
}

void MetricsRecorder::DraftDone(const DraftCounts& counts) {
  drafts_ += counts;
  decode_tokens_ += counts.accepted;
}

Metrics MetricsRecorder::Finish() const {
  Metrics metrics;
  metrics.load_ms = load_ms_;
  metrics.time_to_first_token_ms = first_token_ms_;
  metrics.prefill_tokens = prefill_tokens_;
  metrics.prefill_ms = prefill_ms_;
  metrics.prefill_tokens_per_second = PerSecond(prefill_tokens_, prefill_ms_);
  metrics.decode_tokens = decode_tokens_;
  metrics.decode_ms = decode_ms_;
  metrics.decode_tokens_per_second = PerSecond(decode_tokens_, decode_ms_);
  metrics.forwards = forwards_;
  metrics.per_forward_ms_min = forward_ms_min_;
  metrics.per_forward_ms_max = forward_ms_max_;
  metrics.per_forward_ms_mean = forwards_ > 0 ? decode_ms_ / static_cast<double>(forwards_) : 0;
  metrics.draft_proposed = drafts_.proposed;
  metrics.draft_accepted = drafts_.accepted;
  metrics.draft_gain = drafts_.gain();
  metrics.peak_memory_bytes = PeakMemoryBytes();
  return metrics;
}

}  // namespace infer
