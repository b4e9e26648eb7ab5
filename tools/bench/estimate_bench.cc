// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/estimate_bench.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "passes/estimate.h"
#include "passes/machines.h"
#include "runtime/profiler.h"
#include "runtime/session.h"
#include "tools/api/device_lines.h"
#include "tools/api/input.h"
#include "tools/api/model_file.h"
#include "tools/bench/estimate_plot.h"
#include "tools/bench/number_list.h"
#include "tools/cli/exit_code.h"
#include "tools/flags/console_load.h"
#include "tools/profile/profile_estimates.h"
#include "tools/report/machine_text.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

// A call is repeated for at least this long: the median of five short calls is too random.
constexpr double kLeastNs = 3e8;

const Regime& RegimeOf(const Program& program, int64_t tokens) {
  for (const Regime& regime : program.regimes) {
    if (tokens <= regime.max_tokens) return regime;
  }
  return program.regimes.back();
}

class CallTimer {
 public:
  CallTimer(Session& session, int64_t depth, int64_t repetitions, const std::atomic<bool>* stop)
      : session_(session), depth_(depth), repetitions_(repetitions), stop_(stop) {}

  // Returns the median time of calls with `tokens` tokens.
  absl::StatusOr<double> Median(int64_t tokens) {
    ASSIGN_OR_RETURN(std::vector<double> times, Run(tokens));
    std::ranges::nth_element(times, times.begin() + static_cast<int64_t>(times.size() / 2));
    return times[times.size() / 2];
  }

  // Runs the same calls again, with every step timed and estimated.
  absl::StatusOr<Profile> ProfileOf(const std::vector<int64_t>& tokens, int threads) {
    StepRecorder recorder(session_.program(), threads);
    Profiler profiler(session_.program(), threads);
    recorder.Add(&profiler);
    for (int64_t count : tokens) {
      absl::StatusOr<std::vector<double>> times = Run(count, &recorder);
      RETURN_IF_ERROR(times.status());
    }
    Profile profile = profiler.Finish();
    RETURN_IF_ERROR(EstimateProfile(session_.program(), &profile));
    return profile;
  }

 private:
  // The first call is a warm-up and is left out.
  absl::StatusOr<std::vector<double>> Run(int64_t tokens, StepRecorder* recorder = nullptr) {
    const std::vector<int32_t> ids(static_cast<size_t>(depth_ + tokens), 1);
    const std::span<const int32_t> all = ids;
    std::vector<double> times;
    double spent = 0;
    for (int64_t i = 0; i <= repetitions_ || spent < kLeastNs; ++i) {
      session_.Clear();
      if (depth_ > 0) {
        RETURN_IF_ERROR(session_.Prefill(all.first(static_cast<size_t>(depth_)), stop_));
      }
      session_.SetRecorder(i > 0 ? recorder : nullptr);
      const Clock::time_point start = Clock::now();
      const absl::Status status = session_.Prefill(all, stop_);
      const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
      session_.SetRecorder(nullptr);
      RETURN_IF_ERROR(status);
      spent += ns;
      if (i > 0) times.push_back(ns);
    }
    return times;
  }

  Session& session_;
  const int64_t depth_;
  const int64_t repetitions_;
  const std::atomic<bool>* stop_;
};

std::string CallHeader(bool measured) {
  return StrCat("| tokens | regime | estimate ms | memory | arithmetic | fixed cost |",
                measured ? " median call ms | ratio |" : "", "\n",
                "| ---: | --- | ---: | ---: | ---: | ---: |", measured ? " ---: | ---: |" : "",
                "\n");
}

std::string CallRow(int64_t tokens, const Regime& regime, const CallEstimate& estimate,
                    double measured_ns) {
  const double ns = estimate.ns();
  std::string row = absl::StrFormat(
      "| %d | %d..%d | %.3f | %.0f %% | %.0f %% | %.0f %% |", tokens, regime.min_tokens,
      regime.max_tokens, ns / 1e6, 100 * estimate.node_ns[static_cast<int>(Bound::kMemory)] / ns,
      100 * estimate.node_ns[static_cast<int>(Bound::kArithmetic)] / ns,
      100 * (estimate.node_ns[static_cast<int>(Bound::kFixedCost)] + estimate.overhead_ns) / ns);
  if (measured_ns > 0) {
    StrAppend(&row, absl::StrFormat(" %.3f | %.2f |", measured_ns / 1e6, ns / measured_ns));
  }
  return row + "\n";
}

std::string NodeRows(const Regime& regime, const MachineDescription& machine,
                     const SymbolValues& at) {
  const SymbolicCount call_bytes = CallBytes(regime.graph);
  std::string text =
      "| node | op | target | us | bound by | fixed cost | memory | arithmetic |\n"
      "| --- | --- | --- | ---: | --- | ---: | ---: | ---: |\n";
  for (const Node* node : regime.graph.nodes()) {
    if (!node->placement() || node->op().traits.view) continue;
    const Target target = node->placement()->target;
    const Estimate estimate = EstimateNode(*node, target, call_bytes, machine, at);
    absl::StrAppendFormat(&text, "| %s | %s | %s | %.2f | %s | %.2f | %.2f | %.2f |\n",
                          NodeName(*node), std::string(node->op().name), std::string(Name(target)),
                          estimate.ns() / 1e3, std::string(Name(estimate.bound())),
                          estimate.fixed_ns / 1e3, estimate.memory_ns / 1e3,
                          estimate.arithmetic_ns / 1e3);
  }
  return text + "\n";
}

// `measured_ns` is indexed by number of tokens, or empty.
std::string Tables(const Program& program, const MachineDescription& machine,
                   const EstimateOptions& options, const std::vector<double>& measured_ns) {
  std::string calls = CallHeader(!measured_ns.empty()), nodes;
  for (size_t i = 0; i < options.tokens.size(); ++i) {
    const int64_t tokens = options.tokens[i];
    const Regime& regime = RegimeOf(program, tokens);
    const int64_t sequences = std::min(options.sequences, tokens);
    const SymbolValues at{.t = tokens,
                          .r = sequences,
                          .s = sequences * options.depth + tokens,
                          .sequences = sequences};
    calls += CallRow(tokens, regime, EstimateCall(regime.graph, machine, at),
                     measured_ns.empty() ? 0 : measured_ns[i]);
    if (options.nodes) nodes += NodeRows(regime, machine, at);
  }
  return nodes + calls;
}

absl::Status Draw(const Profile& profile, const EstimateOptions& options, ToolContext& context) {
  if (options.svg.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.svg));
  const std::vector<EstimatePoint> points = EstimatePoints(profile);
  RETURN_IF_ERROR(file->Write(EstimatePlot(
      points, StrCat("Each node's measured time over its estimate; machine ", profile.machine,
                     ", policy ", profile.policy, "; grey: a quarter off"))));
  return file->Commit();
}

}  // namespace

void RegisterEstimateFlags(Flags& flags, EstimateOptions* options) {
  RegisterModelFlags(flags, &options->model);
  RegisterPolicy(flags, &options->model);
  RegisterPackCache(flags, &options->model);
  flags.Section("Calls");
  flags.TextList("-p,--tokens", &options->token_texts, "N,N", "tokens of a call");
  flags.Int("-d,--depth", &options->depth, "N", "cache entries before the call").Min(0);
  flags
      .Int("--sequences", &options->sequences, "N",
           "sequences that share the tokens of a call, each at that depth; with 2 or more nothing "
           "is run")
      .Min(1);
  flags.Bool("--measure", &options->measure, "run the calls too");
  flags.Text("--svg", &options->svg, "FILE",
             "also draw the measured time of every node over its estimate");
  flags.Text("--profile", &options->profile, "FILE",
             "take both from a profile of infer-run instead of running a model");
  flags.Bool("--nodes", &options->nodes, "also print the estimate of every node");
  RegisterThreads(flags, &options->model.threads);
}

absl::Status CompleteEstimate(EstimateOptions* options) {
  RETURN_IF_ERROR(CompleteModelFlags(&options->model));
  ASSIGN_OR_RETURN(options->tokens, ParseNumberList("-p", options->token_texts, 1));
  const std::string suffix = std::filesystem::path(options->svg).extension().string();
  if (suffix.empty() || suffix == ".svg") return absl::OkStatus();
  return UsageError(StrCat("--svg ", options->svg, ": the drawing is an SVG file, and ", suffix,
                           " is the suffix of another format; use .svg"));
}

absl::Status EstimateMain(const EstimateOptions& options, int64_t repetitions,
                          ToolContext& context) {
  if (!options.profile.empty()) {
    ASSIGN_OR_RETURN(std::string bytes, ReadInput(options.profile, kMaxProfileFileBytes));
    ASSIGN_OR_RETURN(Profile profile, DeserializeProfile(bytes, options.profile));
    RETURN_IF_ERROR(Draw(profile, options, context));
    return context.out().Write(EstimateSums(profile));
  }
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model.model));
  ASSIGN_OR_RETURN(MachineDescription machine, LoadMachine(options.model.compile.machine));
  const ThreadChoice threads = ChooseThreadsWithConsole(options.model.threads, &context.console());
  ASSIGN_OR_RETURN(std::unique_ptr<KernelRegistry> registry, MakeKernelRegistry(threads));
  CompileModelOptions compile = options.model.compile;
  const int64_t most = *std::ranges::max_element(options.tokens);
  compile.chunk = std::max(compile.chunk, most);
  compile.context = std::max(compile.context, options.sequences * options.depth + most);
  ASSIGN_OR_RETURN(Program program, CompileWithConsole(model, *registry, compile, &context));
  context.console().Info(StrCat("machine ", machine.name, machine.calibrated ? ", calibrated" : "",
                                ", ", machine.threads, " threads"));
  if (std::string text = OtherThreadsWarning(program.machine, threads.team.threads);
      !text.empty()) {
    context.console().Warning(text);
  }
  if (!options.measure || options.sequences > 1) {
    return context.out().Write(Tables(program, machine, options, /*measured_ns=*/{}));
  }
  RETURN_IF_ERROR(CheckMeasurable(program, *registry));
  ASSIGN_OR_RETURN(
      std::unique_ptr<Session> session,
      LoadWithConsole(std::move(program), model, *registry, {.context = compile.context},
                      options.model.pack_cache, &context));
  CallTimer timer(*session, options.depth, repetitions, &context.interrupt().stop_flag());
  std::vector<double> measured_ns;
  for (int64_t tokens : options.tokens) {
    ASSIGN_OR_RETURN(measured_ns.emplace_back(), timer.Median(tokens));
  }
  ASSIGN_OR_RETURN(Profile profile, timer.ProfileOf(options.tokens, threads.team.threads));
  RETURN_IF_ERROR(Draw(profile, options, context));
  return context.out().Write(StrCat(Tables(session->program(), machine, options, measured_ns),
                                    "\nThe same calls with every step timed:\n\n",
                                    EstimateSums(profile)));
}

}  // namespace infer
