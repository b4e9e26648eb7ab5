// SPDX-License-Identifier: Apache-2.0
//
// Measures the cost of handing empty work to several threads: our team against the usual ways. A
// separate program, so that OpenMP does not become a dependency of the tools.
#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "ir/base/status_macros.h"
#include "tools/bench/dispatch/dispatch_report.h"
#include "tools/bench/dispatch/dispatch_ways.h"
#include "tools/cli/tool.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

struct DispatchOptions {
  int64_t threads = 2;
  int64_t calls = 200000;
  int64_t sleeps = 150;
  std::string svg;
};

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

DispatchRecord Measure(const DispatchWay& way, const DispatchOptions& options) {
  const int64_t calls = way.starts_threads ? std::min<int64_t>(options.calls, 5000) : options.calls;
  for (int64_t i = 0; i < calls / 20; ++i) way.dispatch();
  std::vector<double> awake, after_sleep;
  for (int64_t i = 0; i < calls; ++i) {
    const Clock::time_point start = Clock::now();
    way.dispatch();
    awake.push_back(MicrosecondsSince(start));
  }
  for (int64_t i = 0; i < options.sleeps; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const Clock::time_point start = Clock::now();
    way.dispatch();
    after_sleep.push_back(MicrosecondsSince(start));
  }
  return {way.name, TimesOf(std::move(awake)), TimesOf(std::move(after_sleep))};
}

absl::Status DispatchMain(ToolContext& context) {
  DispatchOptions options;
  Flags flags("dispatch_bench", "Measure what an empty region of several threads costs.");
  flags.Int("-t,--threads", &options.threads, "N", "number of threads, including the caller")
      .Range(2, 512);
  flags.Int("--calls", &options.calls, "N", "calls one after the other").Range(1, 100000000);
  flags.Int("--sleeps", &options.sleeps, "N", "calls after 10 ms each").Range(1, 100000);
  flags.Text("--svg", &options.svg, "FILE", "also draw the medians");
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::vector<DispatchWay> ways,
                   MakeDispatchWays(static_cast<int>(options.threads)));
  std::vector<DispatchRecord> records;
  for (const DispatchWay& way : ways) {
    RETURN_IF_ERROR(context.interrupt().Check());
    records.push_back(Measure(way, options));
  }
#if !defined(INFER_HAVE_OPENMP)
  context.console().Info("built without OpenMP: clang did not find libomp");
#endif
  if (!options.svg.empty()) {
    ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.svg));
    RETURN_IF_ERROR(file->Write(DispatchPlot(records, static_cast<int>(options.threads))));
    RETURN_IF_ERROR(file->Commit());
  }
  return context.out().Write(DispatchTable(records, static_cast<int>(options.threads)));
}

constexpr Tool kDispatchBench = {"dispatch_bench", "dispatch", "Measure dispatch", DispatchMain};

}  // namespace
}  // namespace infer

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return infer::RunTool(infer::kDispatchBench, std::move(args), infer::ToolIo());
}
