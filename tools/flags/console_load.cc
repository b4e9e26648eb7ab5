// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/console_load.h"

#include <string>
#include <utility>

#include "tools/api/device_lines.h"
#include "tools/cli/progress.h"

namespace infer {

absl::StatusOr<std::unique_ptr<Session>> LoadWithConsole(Program program, const ModelFile& model,
                                                         const KernelRegistry& registry,
                                                         const SessionOptions& session,
                                                         bool pack_cache, Console* console) {
  for (const std::string& line : DeviceLines(program, registry)) console->Info(line);
  LoadOptions options;
  options.pack_cache = pack_cache;
  options.progress = [report = ProgressReport(console, "packing", "MiB")](uint64_t done_bytes,
                                                                          uint64_t total_bytes) {
    report(done_bytes >> 20, total_bytes >> 20);
  };
  options.warn = [console](const std::string& text) { console->Warning(text); };
  return LoadSession(std::move(program), model, registry, session, options);
}

}  // namespace infer
