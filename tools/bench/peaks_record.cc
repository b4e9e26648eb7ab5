// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "tools/bench/bench_record.h"

namespace infer {
namespace {

struct PeakLine {
  std::string name;
  double value;
  std::string unit;
};

std::vector<PeakLine> LinesOf(const Peaks& peaks) {
  std::vector<PeakLine> lines = {{"read", peaks.read_gb_s, "GB/s"}};
  for (const auto& [threads, gb_s] : peaks.team_read_gb_s) {
    lines.push_back({absl::StrFormat("read on %d threads", threads), gb_s, "GB/s"});
  }
  for (const InstructionPeak& peak : peaks.instructions) {
    lines.push_back({std::string(peak.name), peak.gop_s, "GOP/s"});
  }
  return lines;
}

}  // namespace

std::string PeaksTable(const Peaks& peaks, BenchFormat format) {
  std::string text;
  Json json = Json::array();
  if (format == BenchFormat::kMd)
    text = "| one core, unless it says otherwise | | |\n| --- | ---: | --- |\n";
  if (format == BenchFormat::kCsv) text = "name,value,unit\n";
  for (const PeakLine& line : LinesOf(peaks)) {
    if (format == BenchFormat::kMd) {
      absl::StrAppendFormat(&text, "| %s | %.1f | %s |\n", line.name, line.value, line.unit);
    } else if (format == BenchFormat::kCsv) {
      absl::StrAppendFormat(&text, "%s,%.3f,%s\n", line.name, line.value, line.unit);
    } else {
      json.push_back(
          {{"schema_version", 1}, {"name", line.name}, {"value", line.value}, {"unit", line.unit}});
      if (format == BenchFormat::kJsonl) text += JsonText(json.back()) + "\n";
    }
  }
  return format == BenchFormat::kJson ? JsonText(json, 2) + "\n" : text;
}

}  // namespace infer
