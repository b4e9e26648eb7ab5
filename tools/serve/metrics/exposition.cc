// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/exposition.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/strings.h"

namespace infer::metrics {
namespace {

// Shortest of a few forms that reads back as the same number.
std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value == std::floor(value) && std::abs(value) < 1e15) return absl::StrFormat("%.0f", value);
  const std::string text = absl::StrFormat("%.9g", value);
  return std::stod(text) == value ? text : absl::StrFormat("%.17g", value);
}

std::string EscapedHelp(std::string_view help) {
  std::string escaped;
  for (const char c : help) {
    if (c == '\\') {
      escaped += "\\\\";
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string EscapedLabel(std::string_view value) {
  std::string storage;
  std::string escaped;
  for (const char c : ReplaceInvalidUtf8(value, &storage)) {
    if (c == '\\' || c == '"') {
      escaped += '\\';
      escaped += c;
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void Exposition::Metric(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  StrAppend(&text_, "# HELP ", name, " ", EscapedHelp(help), "\n# TYPE ", name, " ", type, "\n");
}

void Exposition::Line(std::string_view suffix, const Labels& labels, std::string_view le,
                      double value) {
  std::string inside;
  auto add = [&inside](std::string_view name, std::string_view text) {
    StrAppend(&inside, inside.empty() ? "" : ",", name, "=\"", EscapedLabel(text), "\"");
  };
  for (const auto& [name, text] : common_) add(name, text);
  for (const auto& [name, text] : labels) add(name, text);
  if (!le.empty()) add("le", le);
  StrAppend(&text_, name_, suffix);
  if (!inside.empty()) StrAppend(&text_, "{", inside, "}");
  StrAppend(&text_, " ", NumberText(value), "\n");
}

void Exposition::Sample(double value, const Labels& labels) { Line("", labels, "", value); }

void Exposition::Sample(const Histogram& histogram) {
  const Histogram::Counts read = histogram.Read();
  uint64_t below = 0;
  for (size_t i = 0; i < histogram.bounds().size(); ++i) {
    below += read.counts[i];
    Line("_bucket", {}, NumberText(histogram.bounds()[i]), static_cast<double>(below));
  }
  Line("_bucket", {}, "+Inf", static_cast<double>(read.total));
  Line("_sum", {}, "", read.sum);
  Line("_count", {}, "", static_cast<double>(read.total));
}

void Exposition::Counter(std::string_view name, std::string_view help, double value) {
  Metric(name, "counter", help);
  Sample(value);
}

void Exposition::Gauge(std::string_view name, std::string_view help, double value) {
  Metric(name, "gauge", help);
  Sample(value);
}

void Exposition::Distribution(std::string_view name, std::string_view help,
                              const Histogram& histogram) {
  Metric(name, "histogram", help);
  Sample(histogram);
}

}  // namespace infer::metrics
