// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/dispatch/dispatch_report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr int kLabelWidth = 130, kBarsWidth = 480, kRowHeight = 44, kBarHeight = 16;
constexpr double kLeastUs = 0.1;
constexpr int kDecades = 4;  // 0.1 us to 1 ms

double BarEnd(double us) {
  const double decades = std::clamp(std::log10(us / kLeastUs), 0.0, double{kDecades});
  return kLabelWidth + kBarsWidth * decades / kDecades;
}

std::string Bar(double us, int top, const char* color) {
  const double end = BarEnd(us);
  return absl::StrFormat(
      "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
      "<text x=\"%.1f\" y=\"%d\">%.3g</text>\n",
      kLabelWidth, top, std::max(end - kLabelWidth, 1.0), kBarHeight, color, end + 4,
      top + kBarHeight - 4, us);
}

}  // namespace

DispatchTimes TimesOf(std::vector<double> us) {
  if (us.empty()) return {};
  std::sort(us.begin(), us.end());
  return {us[us.size() / 2], us[us.size() * 95 / 100]};
}

std::string DispatchTable(std::span<const DispatchRecord> records, int threads) {
  std::string text = absl::StrFormat(
      "| %d threads | awake, median (us) | p95 | after 10 ms, median | p95 |\n"
      "| --- | ---: | ---: | ---: | ---: |\n",
      threads);
  for (const DispatchRecord& record : records) {
    StrAppend(&text, absl::StrFormat("| %s | %.2f | %.2f | %.1f | %.1f |\n", record.way,
                                     record.awake.median_us, record.awake.p95_us,
                                     record.after_sleep.median_us, record.after_sleep.p95_us));
  }
  return text;
}

std::string DispatchPlot(std::span<const DispatchRecord> records, int threads) {
  const int height = 60 + kRowHeight * static_cast<int>(records.size());
  std::string text = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
      "<text x=\"8\" y=\"18\">Empty region on %d threads, median in us, logarithmic: "
      "<tspan fill=\"#2a78b5\">awake</tspan>, <tspan fill=\"#d08020\">after 10 ms</tspan></text>\n",
      kLabelWidth + kBarsWidth + 60, height, threads);
  for (int decade = 0; decade <= kDecades; ++decade) {
    const double us = kLeastUs * std::pow(10, decade);
    absl::StrAppendFormat(&text,
                          "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"28\" y2=\"%d\" stroke=\"#ddd\"/>"
                          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                          BarEnd(us), BarEnd(us), height - 24, BarEnd(us), height - 8, us);
  }
  int top = 34;
  for (const DispatchRecord& record : records) {
    absl::StrAppendFormat(&text, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
                          kLabelWidth - 6, top + kBarHeight + 4, record.way);
    text += Bar(record.awake.median_us, top, "#2a78b5");
    text += Bar(record.after_sleep.median_us, top + kBarHeight, "#d08020");
    top += kRowHeight;
  }
  return text + "</svg>\n";
}

}  // namespace infer
