// SPDX-License-Identifier: Apache-2.0
#include "tools/api/load_session.h"

#include <utility>

#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"
#include "tools/api/worker_pool.h"

namespace infer {

std::string PackCachePath(std::string_view model_path) {
  const simd::Level* level = simd::ChosenLevel().level;
  return StrCat(model_path, ".", level == nullptr ? "scalar" : level->name, ".infer-pack");
}

PackOptions PackOptionsFor(const ModelFile& model, const KernelRegistry& registry,
                           const LoadOptions& options) {
  PackOptions pack;
  pack.parallel = MakeParallelFor(registry.backend(Device::kCpu)->threads());
  pack.progress = options.progress;
  pack.warn = options.warn;
  if (options.pack_cache) pack.cache_path = PackCachePath(model.gguf().path());
  return pack;
}

absl::StatusOr<std::unique_ptr<Session>> LoadSession(Program program, const ModelFile& model,
                                                     const KernelRegistry& registry,
                                                     SessionOptions session,
                                                     const LoadOptions& options) {
  session.pack = PackOptionsFor(model, registry, options);
  return Session::CreateAlone(std::move(program), model.weights(), registry, session);
}

}  // namespace infer
