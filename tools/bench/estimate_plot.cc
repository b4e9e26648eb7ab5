// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/estimate_plot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tools/profile/profile_sums.h"

namespace infer {
namespace {

constexpr int kLeft = 70, kTop = 40, kSide = 480, kLegend = 170, kBottom = 50;
constexpr const char* kColors[] = {"#2a78b5", "#d08020", "#3a9a4a", "#b03060", "#7a5ab0",
                                   "#8a6a4a", "#20a0a0", "#808080", "#c0b020", "#303030"};

// An axis of whole powers of ten around all times, in ns.
struct Axis {
  int from = 0, to = 1;

  explicit Axis(std::span<const EstimatePoint> points) {
    double least = 1e18, most = 1;
    for (const EstimatePoint& point : points) {
      least = std::min({least, point.estimate_ns, point.measured_ns});
      most = std::max({most, point.estimate_ns, point.measured_ns});
    }
    from = static_cast<int>(std::floor(std::log10(std::max(1.0, std::min(least, most)))));
    to = std::max(from + 1, static_cast<int>(std::ceil(std::log10(most))));
  }
  // Maps a time to 0 to kSide.
  double At(double ns) const {
    return std::clamp((std::log10(std::max(ns, 1.0)) - from) / (to - from), 0.0, 1.0) * kSide;
  }
  double X(double ns) const { return kLeft + At(ns); }
  double Y(double ns) const { return kTop + kSide - At(ns); }
};

// Escapes XML: names come from files.
std::string Escaped(std::string_view text) {
  std::string safe;
  for (char c : text) {
    if (c == '<' || c == '>' || c == '&') {
      StrAppend(&safe, "&#", static_cast<int>(c), ";");
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string TimeText(int decade) {
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  const int unit = std::clamp(decade / 3, 0, 3);
  return absl::StrFormat("%d %s", static_cast<int>(std::pow(10, decade - 3 * unit)), kUnits[unit]);
}

std::string Grid(const Axis& axis) {
  std::string text;
  for (int decade = axis.from; decade <= axis.to; ++decade) {
    const double ns = std::pow(10, decade);
    absl::StrAppendFormat(&text,
                          "<path d=\"M%.1f %d V%d M%d %.1f H%d\" stroke=\"#ddd\"/>"
                          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>"
                          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                          axis.X(ns), kTop, kTop + kSide, kLeft, axis.Y(ns), kLeft + kSide,
                          axis.X(ns), kTop + kSide + 18, TimeText(decade), kLeft - 6,
                          axis.Y(ns) + 4, TimeText(decade));
  }
  const double low = std::pow(10, axis.from), high = std::pow(10, axis.to);
  for (double factor : {1.0, 1.25, 1 / 1.25}) {
    // Clipped where the line leaves the square.
    const double first = std::max(low, low / factor), last = std::min(high, high / factor);
    absl::StrAppendFormat(&text, "<path d=\"M%.1f %.1f L%.1f %.1f\" stroke=\"%s\"/>\n",
                          axis.X(first), axis.Y(first * factor), axis.X(last),
                          axis.Y(last * factor), factor == 1 ? "#888" : "#ccc");
  }
  return text;
}

// "-" if the profile has no such time.
std::string MsOr(double ns) { return ns > 0 ? absl::StrFormat("%.3f", ns / 1e6) : "-"; }
std::string RatioOr(double ratio) { return ratio > 0 ? absl::StrFormat("%.2f", ratio) : "-"; }

}  // namespace

std::vector<EstimatePoint> EstimatePoints(const Profile& profile) {
  std::vector<EstimatePoint> points;
  for (const ProfileRegime& regime : profile.regimes) {
    for (const CallGroup& group : regime.groups) {
      for (size_t i = 0; i < group.timings.size(); ++i) {
        const NodeTiming& timing = group.timings[i];
        if (timing.n == 0 || timing.estimate_ns <= 0) continue;
        points.push_back(
            {regime.nodes[i].op, timing.estimate_ns, static_cast<double>(timing.p50_ns)});
      }
    }
  }
  return points;
}

std::string EstimatePlot(std::span<const EstimatePoint> points, const std::string& title) {
  const Axis axis(points);
  std::map<std::string, const char*> colors;
  for (const EstimatePoint& point : points) colors.emplace(point.op, "");
  size_t next = 0;
  for (auto& [op, color] : colors) color = kColors[next++ % std::size(kColors)];
  std::string text = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
      "<text x=\"%d\" y=\"22\">%s</text>\n",
      kLeft + kSide + kLegend, kTop + kSide + kBottom, kLeft, Escaped(title));
  text += Grid(axis);
  for (const EstimatePoint& point : points) {
    absl::StrAppendFormat(
        &text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" fill-opacity=\"0.6\"/>\n",
        axis.X(point.estimate_ns), axis.Y(point.measured_ns), colors[point.op]);
  }
  int y = kTop + 12;
  for (const auto& [op, color] : colors) {
    absl::StrAppendFormat(&text, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n",
                          kLeft + kSide + 14, y, color, Escaped(op));
    y += 18;
  }
  absl::StrAppendFormat(
      &text,
      "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">estimated</text>"
      "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">measured, "
      "median</text>\n</svg>\n",
      kLeft + kSide / 2, kTop + kSide + 40, kTop + kSide / 2);
  return text;
}

std::string EstimateSums(const Profile& profile) {
  std::string text =
      "| regime | tokens | calls | estimate ms | mean call ms | ratio | median call ms | ratio | "
      "sum of the steps' medians ms | nodes within 25 % |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const ProfileRegime& regime : profile.regimes) {
    for (const CallGroup& group : regime.groups) {
      double medians = 0;
      int64_t near = 0, nodes = 0;
      for (const NodeTiming& timing : group.timings) {
        if (timing.n == 0) continue;
        ++nodes;
        const double median = static_cast<double>(timing.p50_ns);
        medians += median;
        near += timing.estimate_ns <= 1.25 * median && median <= 1.25 * timing.estimate_ns;
      }
      const OneCall call = OneCallOf(group);
      absl::StrAppendFormat(
          &text, "| %d..%d | %d..%d | %d | %s | %s | %s | %s | %s | %s | %d of %d |\n",
          regime.min_tokens, regime.max_tokens, group.min_tokens, group.max_tokens, group.calls,
          MsOr(call.estimate_ns), MsOr(call.mean_ns), RatioOr(call.over_mean()),
          MsOr(call.median_ns), RatioOr(call.over_median()), MsOr(medians), near, nodes);
    }
  }
  return text;
}

}  // namespace infer
