// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/bench/csv_line.h"
#include "tools/bench/op_bench.h"

namespace infer {
namespace {

Json ToJson(const OpRecord& record, const std::optional<Peaks>& peaks) {
  const InstructionPeak* peak = peaks ? peaks->For(record.weight_type) : nullptr;
  Json json = {{"schema_version", 1},
               {"op", record.op},
               {"target", record.target},
               {"kernel", record.kernel},
               {"shape", record.shape},
               {"cold", record.cold},
               {"repetitions", record.repetitions},
               {"avg_ns", record.ns},
               {"stddev_ns", record.stddev_ns},
               {"gb_per_s", record.gb_per_s},
               {"gop_per_s", record.gop_per_s},
               {"peak_read_gb_per_s", nullptr},
               {"peak_instruction", nullptr},
               {"peak_gop_per_s", nullptr}};
  if (peaks) json["peak_read_gb_per_s"] = peaks->read_gb_s;
  if (peak != nullptr) {
    json["peak_instruction"] = std::string(peak->name);
    json["peak_gop_per_s"] = peak->gop_s;
  }
  return json;
}

}  // namespace

std::string OpHeader(BenchFormat format) {
  if (format == BenchFormat::kCsv) return CsvLine(ToJson(OpRecord(), {}), /*names=*/true);
  if (format == BenchFormat::kJson) return "[";
  if (format == BenchFormat::kJsonl) return "";
  return "| kernel | shape | weights | us | GB/s | GOP/s |\n"
         "| --- | --- | --- | ---: | ---: | ---: |\n";
}

std::string OpRow(const OpRecord& record, const std::optional<Peaks>& peaks, BenchFormat format,
                  bool first) {
  const Json json = ToJson(record, peaks);
  if (format == BenchFormat::kCsv) return CsvLine(json, /*names=*/false);
  if (format == BenchFormat::kJsonl) return JsonText(json) + "\n";
  if (format == BenchFormat::kJson) return StrCat(first ? "\n" : ",\n", JsonText(json, 2));
  const InstructionPeak* peak = peaks ? peaks->For(record.weight_type) : nullptr;
  return absl::StrFormat(
      "| %s | %s | %s | %.2f ± %.2f | %.2f%s | %.1f%s |\n", record.kernel, record.shape,
      record.cold ? "memory" : "cache", record.ns / 1000, record.stddev_ns / 1000, record.gb_per_s,
      ShareOfPeak(record.gb_per_s, peaks ? peaks->read_gb_s : 0), record.gop_per_s,
      ShareOfPeak(record.gop_per_s, peak == nullptr ? 0 : peak->gop_s));
}

std::string OpFooter(const std::optional<Peaks>& peaks, BenchFormat format) {
  if (format == BenchFormat::kJson) return "\n]\n";
  if (format != BenchFormat::kMd || !peaks) return "";
  return StrCat("\nPeaks of one core here: ", ToText(*peaks), ".\n");
}

}  // namespace infer
