// SPDX-License-Identifier: Apache-2.0
//
// One measured test and its output formats. Fields that llama-bench has too carry its names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/base/json.h"
#include "tools/bench/bench_options.h"
#include "tools/bench/peaks.h"

namespace infer {

struct BenchRecord {
  std::string model_filename;
  std::string model_type;           // "qwen3 0.6B q8_0"
  uint64_t model_size = 0;          // bytes of all tensors
  uint64_t model_n_params = 0;      // elements of all tensors
  DType weight_type = DType::kF32;  // that most bytes have
  std::string policy;
  std::string cpu_level;
  std::string cpu_features;
  int64_t n_threads = 1;
  std::string threads_by = {};  // "team" or "tbb"
  int64_t n_ubatch = 0;
  std::string kv_type;
  BenchTest test;
  std::string test_time;  // UTC, ISO 8601
  std::vector<uint64_t> samples_ns;
  double linear_flops = 0;  // of one run
  double bytes = 0;
  std::optional<Peaks> peaks;

  std::string TestName() const;  // "pp512", "tg128 @ d4096"
  double MeanNs() const;
  double DeviationNs() const;  // of a sample; 0 for a single run
  // Mean of the tokens per second of each run, as in llama-bench.
  double MeanTs() const;
  double DeviationTs() const;
  double GbPerS() const { return bytes / MeanNs(); }
  double GopPerS() const { return linear_flops / MeanNs(); }
};

Json ToJson(const BenchRecord& record);

// The parts of the output, in the order in which they are written.
std::string BenchHeader(BenchFormat format);
// `first` means that nothing was written since the header.
std::string BenchRow(const BenchRecord& record, BenchFormat format, bool first);
std::string BenchFooter(std::span<const BenchRecord> records, BenchFormat format);

// Returns what `infer-bench peaks` prints.
std::string PeaksTable(const Peaks& peaks, BenchFormat format);

}  // namespace infer
