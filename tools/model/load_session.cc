// SPDX-License-Identifier: Apache-2.0
#include "tools/model/load_session.h"

#include <utility>

#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"
#include "tools/cli/progress.h"
#include "tools/model/device_lines.h"
#include "tools/model/worker_pool.h"

namespace infer {

std::string PackCachePath(std::string_view model_path) {
  const simd::Level* level = simd::ChosenLevel().level;
  return StrCat(model_path, ".", level == nullptr ? "scalar" : level->name, ".infer-pack");
}

absl::StatusOr<std::unique_ptr<Session>> LoadSession(Program program, const ModelFile& model,
                                                     const KernelRegistry& registry,
                                                     SessionOptions options, bool pack_cache,
                                                     Console* console) {
  for (const std::string& line : DeviceLines(program, registry)) console->Info(line);
  std::unique_ptr<Progress> progress;
  options.pack.parallel = MakeParallelFor(registry.backend(Device::kCpu)->threads());
  options.pack.progress = [&](uint64_t done_bytes, uint64_t total_bytes) {
    if (!progress) {
      progress = std::make_unique<Progress>(console, "packing", total_bytes >> 20, "MiB");
    }
    progress->Update(done_bytes >> 20);
  };
  if (pack_cache) options.pack.cache_path = PackCachePath(model.gguf().path());
  options.pack.warn = [&](const std::string& message) { console->Warning(message); };
  return Session::CreateAlone(std::move(program), model.weights(), registry, options);
}

}  // namespace infer
