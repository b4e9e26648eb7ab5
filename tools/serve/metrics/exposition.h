// SPDX-License-Identifier: Apache-2.0
//
// Prometheus' text format, version 0.0.4.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/serve/metrics/histogram.h"

namespace infer::metrics {

inline constexpr std::string_view kExpositionType = "text/plain; version=0.0.4; charset=utf-8";

using Labels = std::vector<std::pair<std::string, std::string>>;

// Writes metrics one after another. `common` labels are added to every sample.
class Exposition {
 public:
  explicit Exposition(Labels common) : common_(std::move(common)) {}

  // Begins a metric; its samples follow. `type` is counter, gauge or histogram.
  void Metric(std::string_view name, std::string_view type, std::string_view help);
  // A sample of the current metric.
  void Sample(double value, const Labels& labels = {});
  void Sample(const Histogram& histogram);

  // A metric with one sample. Counters must have names that end with _total.
  void Counter(std::string_view name, std::string_view help, double value);
  void Gauge(std::string_view name, std::string_view help, double value);
  void Distribution(std::string_view name, std::string_view help, const Histogram& histogram);

  std::string Take() { return std::move(text_); }

 private:
  void Line(std::string_view suffix, const Labels& labels, std::string_view le, double value);

  Labels common_;
  std::string name_;
  std::string text_;
};

// Escapes a label's value: backslash, quote and newline. Bytes that are not UTF-8 become U+FFFD,
// since one of them makes the whole page unreadable.
std::string EscapedLabel(std::string_view value);

}  // namespace infer::metrics
