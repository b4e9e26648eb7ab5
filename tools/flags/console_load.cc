// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/console_load.h"

#include <string>
#include <utility>

#include "ir/base/status_macros.h"
#include "tools/api/device_lines.h"
#include "tools/cli/progress.h"

namespace infer {

absl::StatusOr<std::unique_ptr<Engine>> LoadEngineWithConsole(Program program,
                                                              const ModelFile& model,
                                                              const KernelRegistry& registry,
                                                              const EngineOptions& engine,
                                                              bool pack_cache, Console* console) {
  for (const std::string& line : DeviceLines(program, registry)) console->Info(line);
  LoadOptions options;
  options.pack_cache = pack_cache;
  options.progress = [report = ProgressReport(console, "packing", "MiB")](uint64_t done_bytes,
                                                                          uint64_t total_bytes) {
    report(done_bytes >> 20, total_bytes >> 20);
  };
  options.warn = [console](const std::string& text) { console->Warning(text); };
  return LoadEngine(std::move(program), model, registry, engine, options);
}

absl::StatusOr<std::unique_ptr<Session>> LoadWithConsole(Program program, const ModelFile& model,
                                                         const KernelRegistry& registry,
                                                         const EngineOptions& engine,
                                                         bool pack_cache, Console* console) {
  ASSIGN_OR_RETURN(
      std::unique_ptr<Engine> loaded,
      LoadEngineWithConsole(std::move(program), model, registry, engine, pack_cache, console));
  return Session::Create(std::move(loaded));
}

}  // namespace infer
