// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench_record.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/cli/build_info.h"

namespace infer {
namespace {

struct Statistics {
  double mean = 0;
  double deviation = 0;
};

Statistics StatisticsOf(const std::vector<double>& samples) {
  Statistics result;
  if (samples.empty()) return result;
  const double count = static_cast<double>(samples.size());
  for (double sample : samples) result.mean += sample / count;
  double squares = 0;
  for (double sample : samples) squares += (sample - result.mean) * (sample - result.mean);
  if (samples.size() > 1) result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

std::vector<double> RatesOf(const BenchRecord& record) {
  std::vector<double> rates;
  for (uint64_t ns : record.samples_ns) {
    rates.push_back(static_cast<double>(record.test.tokens()) * 1e9 / static_cast<double>(ns));
  }
  return rates;
}

std::vector<double> TimesOf(const BenchRecord& record) {
  return {record.samples_ns.begin(), record.samples_ns.end()};
}

// Quotes a CSV text, doubling its quotes.
std::string CsvText(const Json& value) {
  if (!value.is_string()) return JsonText(value);
  std::string quoted = "\"";
  for (char c : value.get<std::string>()) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

// Samples are an array, which CSV has no place for.
bool InCsv(const Json& value) { return !value.is_array(); }

std::string RecordCsvLine(const Json& json, bool names) {
  std::string line;
  for (const auto& [name, value] : json.items()) {
    if (!InCsv(value)) continue;
    StrAppend(&line, line.empty() ? "" : ",", names ? name : CsvText(value));
  }
  return line + "\n";
}

std::string MdRow(const BenchRecord& record) {
  const InstructionPeak* peak = record.peaks ? record.peaks->For(record.weight_type) : nullptr;
  return absl::StrFormat(
      "| %s | %.2f MiB | %s | %s | %d | %s | %.2f ± %.2f | %.2f%s | %.1f%s |\n", record.model_type,
      static_cast<double>(record.model_size) / (1 << 20), record.policy, record.cpu_level,
      record.n_threads, record.TestName(), record.MeanTs(), record.DeviationTs(), record.GbPerS(),
      ShareOfPeak(record.GbPerS(), record.peaks ? record.peaks->ReadGbPerS(record.n_threads) : 0),
      record.GopPerS(),
      ShareOfPeak(record.GopPerS(), peak == nullptr ? 0 : peak->gop_s * record.n_threads));
}

}  // namespace

std::string BenchRecord::TestName() const {
  std::string name;
  if (test.prompt > 0) StrAppend(&name, "pp", test.prompt);
  if (test.generated > 0) StrAppend(&name, name.empty() ? "" : "+", "tg", test.generated);
  if (test.depth > 0) StrAppend(&name, " @ d", test.depth);
  return name;
}

double BenchRecord::MeanNs() const { return StatisticsOf(TimesOf(*this)).mean; }
double BenchRecord::DeviationNs() const { return StatisticsOf(TimesOf(*this)).deviation; }
double BenchRecord::MeanTs() const { return StatisticsOf(RatesOf(*this)).mean; }
double BenchRecord::DeviationTs() const { return StatisticsOf(RatesOf(*this)).deviation; }

Json ToJson(const BenchRecord& record) {
  const InstructionPeak* peak = record.peaks ? record.peaks->For(record.weight_type) : nullptr;
  Json json = {{"schema_version", 1},
               {"build_commit", GitRevision()},
               {"cpu_info", record.cpu_features},
               {"backends", "CPU"},
               {"model_filename", record.model_filename},
               {"model_type", record.model_type},
               {"model_size", record.model_size},
               {"model_n_params", record.model_n_params},
               {"n_batch", record.n_ubatch},
               {"n_ubatch", record.n_ubatch},
               {"n_threads", record.n_threads},
               {"type_k", record.kv_type},
               {"type_v", record.kv_type},
               {"n_prompt", record.test.prompt},
               {"n_gen", record.test.generated},
               {"n_depth", record.test.depth},
               {"test_time", record.test_time},
               {"avg_ns", std::llround(record.MeanNs())},
               {"stddev_ns", std::llround(record.DeviationNs())},
               {"avg_ts", record.MeanTs()},
               {"stddev_ts", record.DeviationTs()},
               {"policy", record.policy},
               {"cpu_level", record.cpu_level},
               {"threads_by", record.threads_by},
               {"gb_per_s", record.GbPerS()},
               {"gop_per_s", record.GopPerS()},
               {"peak_read_gb_per_s", nullptr},
               {"peak_instruction", nullptr},
               {"peak_gop_per_s", nullptr}};
  if (record.peaks) json["peak_read_gb_per_s"] = record.peaks->ReadGbPerS(record.n_threads);
  if (peak != nullptr) {
    json["peak_instruction"] = std::string(peak->name);
    json["peak_gop_per_s"] = peak->gop_s * record.n_threads;
  }
  json["samples_ns"] = record.samples_ns;
  json["samples_ts"] = RatesOf(record);
  return json;
}

std::string BenchHeader(BenchFormat format) {
  if (format == BenchFormat::kCsv) return RecordCsvLine(ToJson(BenchRecord()), /*names=*/true);
  if (format == BenchFormat::kJson) return "[";
  if (format == BenchFormat::kJsonl) return "";
  return "| model | size | policy | cpu | threads | test | t/s | GB/s | GOP/s |\n"
         "| --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |\n";
}

std::string BenchRow(const BenchRecord& record, BenchFormat format, bool first) {
  if (format == BenchFormat::kMd) return MdRow(record);
  const Json json = ToJson(record);
  if (format == BenchFormat::kCsv) return RecordCsvLine(json, /*names=*/false);
  if (format == BenchFormat::kJsonl) return JsonText(json) + "\n";
  return StrCat(first ? "\n" : ",\n", JsonText(json, 2));
}

std::string BenchFooter(std::span<const BenchRecord> records, BenchFormat format) {
  if (format == BenchFormat::kJson) return "\n]\n";
  if (format != BenchFormat::kMd || records.empty() || !records.front().peaks) return "";
  return StrCat("\nPeaks of one core here: ", ToText(*records.front().peaks), ".\n");
}

}  // namespace infer
