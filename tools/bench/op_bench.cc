// SPDX-License-Identifier: Apache-2.0
//
// Google Benchmark decides how often a kernel is called and measures the times; its own output is
// not used.
#include "tools/bench/op_bench.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/bench/op_case.h"

namespace infer {
namespace {

// Keeps the time of each repetition and prints nothing.
class TimeCollector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      times_ns_.push_back(run.real_accumulated_time / static_cast<double>(run.iterations) * 1e9);
    }
  }
  const std::vector<double>& times_ns() const { return times_ns_; }

 private:
  std::vector<double> times_ns_;
};

std::vector<double> Measure(OpCase& op_case, double min_time_s, int64_t repetitions) {
  benchmark::ClearRegisteredBenchmarks();
  for (int i = 0; i < op_case.copies(); ++i) op_case.Run();  // warm up pages and code
  auto* registered = benchmark::RegisterBenchmark("kernel", [&](benchmark::State& state) {
    for (auto _ : state) op_case.Run();
  });
  registered->UseRealTime()->MinTime(min_time_s)->Repetitions(static_cast<int>(repetitions));
  TimeCollector collector;
  benchmark::RunSpecifiedBenchmarks(&collector, "kernel");
  benchmark::ClearRegisteredBenchmarks();
  return collector.times_ns();
}

OpRecord RecordOf(const OpCase::Request& request, const OpCase& op_case,
                  const std::vector<double>& times_ns) {
  OpRecord record;
  record.op = request.op;
  record.target = Name(request.target);
  record.kernel = op_case.kernel();
  record.shape = op_case.shape_text();
  record.weight_type = request.shape.type;
  record.cold = op_case.copies() > 1;
  record.repetitions = static_cast<int64_t>(times_ns.size());
  const double count = static_cast<double>(times_ns.size());
  for (double ns : times_ns) record.ns += ns / count;
  double squares = 0;
  for (double ns : times_ns) squares += (ns - record.ns) * (ns - record.ns);
  if (times_ns.size() > 1) record.stddev_ns = std::sqrt(squares / (count - 1));
  record.gb_per_s = op_case.bytes() / record.ns;
  record.gop_per_s = op_case.flops() / record.ns;
  return record;
}

}  // namespace

absl::Status RunOpBench(const BenchOptions& options, const KernelRegistry& registry,
                        const OpBenchCallbacks& callbacks) {
  std::string reason;
  int measured = 0;
  for (const OpShape& shape : options.op.shapes) {
    for (Target target : options.op.targets) {
      RETURN_IF_ERROR(callbacks.check());
      const OpCase::Request request{.op = options.op.op,
                                    .shape = shape,
                                    .target = target,
                                    .float_activations = options.op.float_activations,
                                    .cold = options.op.cold.value_or(shape.rows <= kColdRows)};
      absl::StatusOr<std::unique_ptr<OpCase>> op_case = OpCase::Create(request, registry);
      if (absl::IsUnimplemented(op_case.status())) {
        reason = StrCat(request.op, " on ", Name(target), ": ", ToStd(op_case.status().message()));
        callbacks.on_skip(reason);
        continue;
      }
      RETURN_IF_ERROR(op_case.status());
      const std::vector<double> times_ns =
          Measure(**op_case, options.op.min_time_s, options.repetitions);
      if (times_ns.empty()) return absl::InternalError("Google Benchmark gave no times");
      RETURN_IF_ERROR(callbacks.on_record(RecordOf(request, **op_case, times_ns)));
      ++measured;
    }
  }
  return measured > 0 ? absl::OkStatus() : absl::UnimplementedError(reason);
}

}  // namespace infer
