// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/calibrate_main.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_format.h"
#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/policy/machine_text.h"
#include "tools/api/process_ranks.h"
#include "tools/bench/calibrate/call_cost.h"
#include "tools/bench/calibrate/crossovers.h"
#include "tools/bench/calibrate/measure_machine.h"
#include "tools/bench/calibrate/measure_messages.h"
#include "tools/bench/calibrate/measure_ranks.h"
#include "tools/bench/calibrate/tuned_policy.h"
#include "tools/bench/race_bench.h"
#include "tools/cli/build_info.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"
#include "tools/cli/progress.h"
#include "tools/devices/device_report.h"
#include "tools/flags/rank_run.h"
#include "tools/flags/thread_flags.h"
#include "tools/synth/random_blocks.h"

namespace infer {
namespace {

struct CalibrateOptions {
  bool calibrate = true;
  std::string output = "-";
  std::string tuned;
  int64_t rounds = 2;
  std::vector<std::string> type_texts = {"f32,f16,bf16,q8_0,q4_0,q4_1,q5_0,q5_1,q4_k,q5_k,q6_k"};
  ThreadRequest threads;

  std::vector<DType> types;  // filled in by Complete
};

void Register(Flags& flags, CalibrateOptions* options) {
  flags.Section("Calibration");
  flags.Bool("--calibrate", &options->calibrate, "measure this machine; described by this help");
  flags.Text("-o,--output", &options->output, "FILE", "machine description, for --machine")
      .Default("stdout");
  flags.Text("--tuned", &options->tuned, "FILE", "also write a policy of crossover points")
      .Default("none");
  flags.TextList("--type", &options->type_texts, "TYPE,TYPE", "weights to measure");
  flags.Int("--rounds", &options->rounds, "N", "times everything is measured; the best counts")
      .Range(1, 100);
  RegisterThreads(flags, &options->threads);
  flags.Note(
      "Takes about a minute. Other work on the machine falsifies it only if it lasts through all "
      "rounds.");
  flags.Example("infer-bench --calibrate -o host.textproto --tuned tuned.textproto", "Measure.");
  flags.Example("mpirun -np 2 --hostfile hosts infer-bench --calibrate -o cluster.textproto",
                "The same on rank 0, and what messages between the ranks cost.");
  flags.Example("infer-run --policy tuned.textproto --machine host.textproto -p Hello", "Use it.");
}

absl::Status Complete(CalibrateOptions* options) {
  if (!options->calibrate) return UsageError("--no-calibrate: leave the flag out instead");
  std::vector<std::string_view> known;
  for (const DTypeInfo& info : AllDTypes()) {
    if (SupportsRandomBlocks(info.dtype)) known.push_back(info.name);
  }
  for (const std::string& text : options->type_texts) {
    for (const std::string& name : SplitWords(text, ',')) {
      std::optional<DType> type = FindDType(name);
      if (!type || !SupportsRandomBlocks(*type)) {
        return UsageError(
            StrCat("--type '", name, "' is not a weight type", DidYouMean(name, known)));
      }
      options->types.push_back(*type);
    }
  }
  return absl::OkStatus();
}

absl::Status WriteFile(std::string_view path, std::string_view text, ToolContext& context) {
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(path));
  RETURN_IF_ERROR(file->Write(text));
  return file->Commit();
}

struct Calibrated {
  MachineDescription machine;
  std::vector<Crossover> crossovers;
};

absl::StatusOr<Calibrated> Measure(const CalibrateOptions& options, const KernelRegistry& registry,
                                   int64_t threads, ToolContext& context) {
  Calibrated made;
  uint64_t done = 0;
  Progress progress(&context.console(), "calibrate", 0, "kernels");
  KernelTimer timer(registry, {.check = [&] { return context.interrupt().Check(); },
                               .on_kernel =
                                   [&](const std::string& note) {
                                     progress.SetNote(note);
                                     progress.Update(done++);
                                   }});
  for (int64_t round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(made.machine, MeasureMachine(options.types, timer));
    if (!options.tuned.empty()) {
      ASSIGN_OR_RETURN(made.crossovers, FindCrossovers(timer, threads));
    }
    timer.StartRound();
  }
  return made;
}

// The cost of a call is the same for every model: it does not depend on what is computed.
absl::StatusOr<double> CallNsOfBundledModel(const KernelRegistry& registry, int threads,
                                            ToolContext& context) {
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(""));
  ASSIGN_OR_RETURN(std::vector<Racer> racers,
                   MakeRacers(model, registry, CompileModelOptions(), {"simd"}, /*most_tokens=*/1,
                              /*pack_cache=*/{}, &context));
  return MeasureCallNs(*racers[0].session, threads, &context.interrupt().stop_flag());
}

// Sizes at which a threshold matters: with more rows everything is split over the threads.
const std::vector<int64_t> kCheckedTokens = {1, 2, 4, 8};
constexpr int64_t kCheckRounds = 20;

// Races the tuned policy against a single target for everything, on the bundled model.
absl::StatusOr<TunedCheck> Check(const CalibrateOptions& options, const KernelRegistry& registry,
                                 ToolContext& context) {
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(""));
  CompileModelOptions compile;
  if (options.output != "-") compile.machine = options.output;
  ASSIGN_OR_RETURN(std::vector<Racer> racers,
                   MakeRacers(model, registry, compile, {options.tuned, "simd", "parallel"},
                              kCheckedTokens.back(), /*pack_cache=*/{}, &context));
  ASSIGN_OR_RETURN(std::vector<RaceTimes> times,
                   Race(racers, {.tokens = kCheckedTokens,
                                 .rounds = kCheckRounds,
                                 .stop = &context.interrupt().stop_flag()}));
  return CheckTuned(times);
}

// Calls for which a GPU might pay off; beyond the largest it either surely does or never will.
const std::vector<int64_t> kGpuTokens = {1, 2, 4, 8, 16, 32, 64, 128};

// Races the tuned policy against everything on the GPU, if there is a real one.
absl::StatusOr<GpuCrossover> CheckGpu(const CalibrateOptions& options,
                                      const KernelRegistry& registry, ToolContext& context) {
  const std::optional<Target> target = GpuOf(registry);
  if (!target || registry.AutomaticRows(*target) == 0) return GpuCrossover();
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(""));
  CompileModelOptions compile;
  ASSIGN_OR_RETURN(std::vector<Racer> racers,
                   MakeRacers(model, registry, compile, {options.tuned}, kGpuTokens.back(),
                              /*pack_cache=*/{}, &context));
  compile.place = {StrCat("rows>=1=", Name(*target))};
  ASSIGN_OR_RETURN(std::vector<Racer> gpu,
                   MakeRacers(model, registry, compile, {options.tuned}, kGpuTokens.back(),
                              /*pack_cache=*/{}, &context));
  gpu[0].policy = "gpu";
  racers.push_back(std::move(gpu[0]));
  ASSIGN_OR_RETURN(std::vector<RaceTimes> times,
                   Race(racers, {.tokens = kGpuTokens,
                                 .rounds = kCheckRounds,
                                 .stop = &context.interrupt().stop_flag()}));
  return FindGpuCrossover(times, *target);
}

absl::Status WriteTuned(const CalibrateOptions& options, const Calibrated& made,
                        const KernelRegistry& registry, ToolContext& context) {
  auto write = [&](const TunedCheck& check, const GpuCrossover& gpu) {
    return WriteFile(
        options.tuned,
        TunedPolicyText(made.crossovers, made.machine.name, made.machine.threads, check, gpu),
        context);
  };
  RETURN_IF_ERROR(write({}, {}));
  if (options.tuned == "-") return absl::OkStatus();  // a policy cannot be loaded back from a pipe
  auto warn = [&](const absl::Status& status) {
    context.console().Warning(
        StrCat("the tuned policy was not tested on the bundled model: ", ToStd(status.message())));
  };
  TunedCheck check;
  if (made.machine.threads > 1) {  // with one thread there is nothing to choose
    absl::StatusOr<TunedCheck> checked = Check(options, registry, context);
    RETURN_IF_ERROR(context.interrupt().Check());
    if (!checked.ok()) warn(checked.status());
    if (checked.ok()) check = *std::move(checked);
    RETURN_IF_ERROR(write(check, {}));
  }
  absl::StatusOr<GpuCrossover> gpu = CheckGpu(options, registry, context);
  RETURN_IF_ERROR(context.interrupt().Check());
  if (gpu.ok()) return write(check, *gpu);
  warn(gpu.status());
  return absl::OkStatus();
}

std::string NameOfMachine(const KernelRegistry& registry) {
  const DeviceReport report = DescribeDevices(registry);
  return StrCat(report.architecture, " ", report.level);
}

// The transport, if its ranks have memory in common; all of them call it.
absl::StatusOr<SharedRanks*> SharingRanks(Collective* transport) {
  auto* ranks = dynamic_cast<SharedRanks*>(transport);
  if (ranks == nullptr) return nullptr;
  ASSIGN_OR_RETURN(const auto memory, ranks->Allocate(SharedRanks::kCommonAlignment, /*own=*/0));
  return memory == nullptr ? nullptr : ranks;
}

}  // namespace

bool WantsCalibration(const std::vector<std::string>& args) {
  return std::ranges::any_of(args, [](std::string_view arg) {
    return arg == "--calibrate" || arg.starts_with("--calibrate=");
  });
}

absl::Status CalibrateMain(ToolContext& context) {
  CalibrateOptions options;
  Flags flags("infer-bench --calibrate",
              "Measure how fast kernels run here, for estimates and for a tuned policy.");
  Register(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(Complete(&options));
  RETURN_IF_ERROR(StartRanks(&context));
  const std::shared_ptr<Collective> transport = ProcessTransport();
  const bool follows = FollowsRank0();
  // Ranks of one host share its memory: all of them measure, so that each gets what is left to it
  // in a run. Those of other hosts wait for rank 0.
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
  RankLink link = {.transport = transport.get()};
  ASSIGN_OR_RETURN(link.shared, SharingRanks(transport.get()));
  if (follows && RanksOfThisHost() == 1) return MeasureRanks(link, nullptr);
  // Kernels are measured as in a process that runs alone.
  SetProcessRanks(nullptr);
  const absl::Cleanup connect = [&] { SetProcessRanks(ranks); };
  const ThreadChoice threads = ChooseThreadsWithConsole(options.threads, &context.console());
  ASSIGN_OR_RETURN(std::unique_ptr<KernelRegistry> registry, MakeKernelRegistry(threads));
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(Calibrated made, Measure(options, *registry, threads.team.threads, context));
  link.parallel_for = [cpu = registry->backend(Device::kCpu)](int64_t count, const auto& body) {
    cpu->For(count, body);
  };
  const int common_ranks = link.shared == nullptr ? 0 : link.shared->ranks();
  RETURN_IF_ERROR(MeasureMessages({link.parallel_for, common_ranks}, &made.machine));
  if (follows) return MeasureRanks(link, nullptr);
  made.machine.name = NameOfMachine(*registry);
  made.machine.threads = threads.team.threads;
  absl::StatusOr<double> call_ns = CallNsOfBundledModel(*registry, threads.team.threads, context);
  RETURN_IF_ERROR(context.interrupt().Check());
  if (call_ns.ok()) {
    made.machine.call_ns = *call_ns;
  } else {
    context.console().Warning(
        StrCat("call_ns is left at 0, because the bundled model could not be ",
               "run: ", ToStd(call_ns.status().message())));
  }
  if (transport != nullptr) {
    RETURN_IF_ERROR(MeasureRanks(link, &made.machine));
  }
  RETURN_IF_ERROR(WriteFile(options.output, PrintMachine(made.machine), context));
  if (!options.tuned.empty()) {
    RETURN_IF_ERROR(WriteTuned(options, made, *registry, context));
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  context.console().Info(absl::StrFormat("calibrated in %.0f s: %d kernels on %s, threads %s",
                                         seconds, made.machine.kernels.size(), made.machine.name,
                                         threads.derivation));
  return absl::OkStatus();
}

}  // namespace infer
