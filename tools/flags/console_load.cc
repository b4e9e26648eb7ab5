// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/console_load.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "tools/api/compile_to_run.h"
#include "tools/api/device_lines.h"
#include "tools/cli/progress.h"
#include "tools/flags/rank_run.h"

namespace infer {
namespace {

constexpr double kSlowPackSeconds = 1;

}  // namespace

std::string PackCacheHint(double pack_seconds, const PackCacheRequest& pack_cache) {
  if (pack_cache.on || pack_seconds < kSlowPackSeconds) return {};
  return absl::StrFormat(
      "packing took %.1f s; --pack-cache keeps the packed weights in a file for the next load",
      pack_seconds);
}

absl::StatusOr<Program> CompileWithConsole(const ModelFile& model, const KernelRegistry& registry,
                                           CompileModelOptions options, ToolContext* context) {
  options.warn = [context](const std::string& text) { context->console().Warning(text); };
  if (registry.collective() != nullptr) return CompileToRun(model, registry, options);
  RETURN_IF_ERROR(context->out().Flush());
  absl::StatusOr<Program> program;
  RETURN_IF_ERROR(context->interrupt().DoUnchecked([&] {
    program = CompileToRun(model, registry, options);
    return program.status();
  }));
  return program;
}

absl::StatusOr<std::unique_ptr<Engine>> LoadEngineWithConsole(
    Program program, const ModelFile& model, const KernelRegistry& registry,
    const EngineOptions& engine, const PackCacheRequest& pack_cache, ToolContext* context) {
  using Clock = std::chrono::steady_clock;
  Console* console = &context->console();
  for (const std::string& line : DeviceLines(program, registry)) console->Verbose(line);
  LoadOptions options;
  options.pack_cache = pack_cache;
  std::chrono::duration<double> pack_time{0};
  uint64_t packed_bytes = 0;
  options.progress = [&, start = Clock::now(), report = ProgressReport(console, "weights", "MiB")](
                         uint64_t done_bytes, uint64_t total_bytes) mutable {
    if (done_bytes == 0) start = Clock::now();
    pack_time = Clock::now() - start;
    packed_bytes = done_bytes;
    report(done_bytes >> 20, total_bytes >> 20);
  };
  options.stop = &context->interrupt().stop_flag();
  options.warn = [console](const std::string& text) { console->Warning(text); };
  EngineOptions shared = engine;
  RETURN_IF_ERROR(ShareCacheSize(program, &shared));
  absl::StatusOr<std::unique_ptr<Engine>> result =
      LoadEngine(std::move(program), model, registry, shared, options);
  RETURN_IF_ERROR(JoinRanks(result.status(), result.ok() ? result->get() : nullptr));
  std::unique_ptr<Engine> loaded = *std::move(result);
  if (packed_bytes > 0) {
    console->Verbose(absl::StrFormat("weights took %.3f s, %.1f GB/s", pack_time.count(),
                                     static_cast<double>(packed_bytes) / 1e9 / pack_time.count()));
  }
  if (std::string hint = PackCacheHint(pack_time.count(), pack_cache); !hint.empty()) {
    console->Info(hint);
  }
  return loaded;
}

absl::StatusOr<std::unique_ptr<Session>> LoadWithConsole(Program program, const ModelFile& model,
                                                         const KernelRegistry& registry,
                                                         const EngineOptions& engine,
                                                         const PackCacheRequest& pack_cache,
                                                         ToolContext* context) {
  ASSIGN_OR_RETURN(
      std::unique_ptr<Engine> loaded,
      LoadEngineWithConsole(std::move(program), model, registry, engine, pack_cache, context));
  return Session::Create(std::move(loaded));
}

}  // namespace infer
