// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "runtime/kernel_registry.h"
#include "tools/bench/bench_options.h"
#include "tools/bench/peaks.h"

namespace infer {

struct OpRecord {
  std::string op;
  std::string target;
  std::string kernel;
  std::string shape;
  DType weight_type = DType::kF32;
  bool cold = false;
  int64_t repetitions = 0;
  double ns = 0;  // per call: the mean over the repetitions
  double stddev_ns = 0;
  double gb_per_s = 0;
  double gop_per_s = 0;
};

// Calls `on_record` for each shape and target; a target without a kernel for a shape is skipped
// with a `note`. Returns kUnimplemented if nothing could be measured, or if this build has no
// Google Benchmark.
struct OpBenchCallbacks {
  std::function<absl::Status(const OpRecord& record)> on_record;
  std::function<void(const std::string& note)> on_skip;
  std::function<absl::Status()> check;  // called between cases; an error ends the run
};
absl::Status RunOpBench(const BenchOptions& options, const KernelRegistry& registry,
                        const OpBenchCallbacks& callbacks);

std::string OpHeader(BenchFormat format);
std::string OpRow(const OpRecord& record, const std::optional<Peaks>& peaks, BenchFormat format,
                  bool first);
std::string OpFooter(const std::optional<Peaks>& peaks, BenchFormat format);

}  // namespace infer
