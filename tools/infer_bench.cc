// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/bench/bench_options.h"
#include "tools/bench/bench_record.h"
#include "tools/bench/calibrate/calibrate_main.h"
#include "tools/bench/compare.h"
#include "tools/bench/model_bench.h"
#include "tools/bench/op_bench.h"
#include "tools/bench/peaks.h"
#include "tools/bench/serve/serve_bench.h"
#include "tools/cli/progress.h"
#include "tools/cli/tool.h"
#include "tools/flags/rank_run.h"

namespace infer {
namespace {

absl::StatusOr<std::optional<Peaks>> MaybePeaks(const BenchOptions& options, ToolContext& context) {
  if (!options.peaks) return std::optional<Peaks>();
  ASSIGN_OR_RETURN(Peaks peaks, MeasurePeaks(&context.interrupt().stop_flag(), options.threads));
  return std::optional<Peaks>(std::move(peaks));
}

absl::Status ModelMain(const BenchOptions& options, ToolContext& context) {
  std::optional<BenchBase> base;
  if (!options.compare.empty()) {
    ASSIGN_OR_RETURN(base, BenchBase::Read(options.compare));
  }
  ASSIGN_OR_RETURN(ModelBench bench, ModelBench::Open(options));
  std::vector<BenchRecord> records;
  auto progress = std::make_unique<Progress>(&context.console(), "bench", bench.num_runs(), "runs");
  int64_t runs = 0;
  ModelBench::Callbacks callbacks;
  callbacks.context = &context;
  callbacks.measure_peaks = [&]() -> absl::StatusOr<std::optional<Peaks>> {
    if (FollowsRank0()) return std::optional<Peaks>();
    return MaybePeaks(options, context);
  };
  callbacks.on_run = [&](const std::string& note) {
    progress->SetNote(note);
    progress->Update(static_cast<uint64_t>(runs++));
  };
  callbacks.on_record = [&](const BenchRecord& record) {
    const bool first = records.empty();
    records.push_back(record);
    return context.out().Stream(
        StrCat(first ? BenchHeader(options.format) : "", BenchRow(record, options.format, first)));
  };
  RETURN_IF_ERROR(bench.Run(callbacks));
  progress.reset();
  if (FollowsRank0()) return absl::OkStatus();
  RETURN_IF_ERROR(context.out().Stream(BenchFooter(records, options.format)));
  if (!base) return absl::OkStatus();
  std::string report;
  const absl::Status compared = base->Compare(records, options.threshold, &report);
  if (!report.empty()) {
    report.pop_back();
    context.console().Info(report);
  }
  return compared;
}

absl::Status OpMain(const BenchOptions& options, ToolContext& context) {
  ASSIGN_OR_RETURN(
      const std::unique_ptr<KernelRegistry> registry,
      MakeKernelRegistry(ChooseThreadsWithConsole(options.op.threads, &context.console())));
  std::optional<Peaks> peaks;
  bool first = true;
  OpBenchCallbacks callbacks;
  callbacks.check = [&] { return context.interrupt().Check(); };
  callbacks.on_skip = [&](const std::string& note) { context.console().Warning(note); };
  callbacks.on_record = [&](const OpRecord& record) -> absl::Status {
    // Not before it is known that there is something to measure.
    if (first) {
      ASSIGN_OR_RETURN(peaks, MaybePeaks(options, context));
    }
    const std::string header = first ? OpHeader(options.format) : "";
    const std::string row = OpRow(record, peaks, options.format, first);
    first = false;
    return context.out().Stream(header + row);
  };
  RETURN_IF_ERROR(RunOpBench(options, *registry, callbacks));
  return context.out().Write(OpFooter(peaks, options.format));
}

absl::Status PeaksMain(const BenchOptions& options, ToolContext& context) {
  const std::vector<int64_t> threads = ThreadCountsUpTo(ReadThreadLimits().Count());
  ASSIGN_OR_RETURN(Peaks peaks, MeasurePeaks(&context.interrupt().stop_flag(), threads));
  return context.out().Write(PeaksTable(peaks, options.format));
}

// What the models of a mode would be divided over. Estimates that are not compared with times run
// nothing.
ShardRequest ShardOf(std::string_view mode, const BenchOptions& options) {
  const EstimateOptions& estimate = options.estimate;
  const bool measures = estimate.measure && estimate.sequences == 1 && estimate.profile.empty();
  if (mode == "estimate" && measures) return estimate.model.compile.shard;
  if (mode == "policies") return options.race.model.compile.shard;
  if (mode == "spec") return options.spec.model.compile.shard;
  if (mode == "batch") return options.batch.model.compile.shard;
  return {};
}

absl::Status BenchMain(ToolContext& context) {
  if (WantsCalibration(context.args())) return CalibrateMain(context);
  BenchOptions options;
  Flags flags("infer-bench", "Measure how fast models and kernels run.");
  RegisterFlags(flags, &options);
  load::ServeOptions serve;
  load::RegisterServeFlags(
      flags.Mode("serve", "Measure an OpenAI-compatible server, or two in turn."), &serve);
  flags.Example("infer-bench serve --url http://127.0.0.1:8080 --users 8 -p 128 -n 128",
                "A server under load.");
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  if (flags.mode() == "serve") {
    RETURN_IF_ERROR(load::CompleteServe(&serve));
    return load::ServeMain(serve, options.format, context);
  }
  RETURN_IF_ERROR(Complete(flags, &options));
  RETURN_IF_ERROR(StartRanks(&context));
  const std::string mode(flags.mode());
  if (mode.empty() || mode == "model") return ModelMain(options, context);
  RETURN_IF_ERROR(RefuseRanks(StrCat("infer-bench ", mode), ShardOf(mode, options)));
  if (mode == "op") return OpMain(options, context);
  if (mode == "policies") return RaceMain(options.race, context);
  if (mode == "spec") return SpecMain(options.spec, options.format, options.repetitions, context);
  if (mode == "batch") {
    return BatchMain(options.batch, options.format, options.repetitions, context);
  }
  if (mode == "peaks") return PeaksMain(options, context);
  return EstimateMain(options.estimate, options.repetitions, context);
}

}  // namespace

extern const Tool kInferBench = {"infer-bench", "bench", "Measure the speed of models and kernels",
                                 BenchMain};

}  // namespace infer
