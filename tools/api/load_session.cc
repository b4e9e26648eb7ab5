// SPDX-License-Identifier: Apache-2.0
#include "tools/api/load_session.h"

#include <utility>

#include "backends/simd/levels/choose_level.h"
#include "ir/base/status_macros.h"
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

absl::StatusOr<std::unique_ptr<Engine>> LoadEngine(Program program, const ModelFile& model,
                                                   const KernelRegistry& registry,
                                                   const EngineOptions& engine,
                                                   const LoadOptions& options) {
  // Check before packing anything, so that a program that cannot run here fails at once.
  RETURN_IF_ERROR(CheckEngine(program, registry, engine));
  ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable,
                   Executable::CreateAlone(std::move(program), model.weights(), registry,
                                           PackOptionsFor(model, registry, options)));
  return Engine::Create(std::move(executable), engine);
}

absl::StatusOr<std::unique_ptr<Session>> LoadSession(Program program, const ModelFile& model,
                                                     const KernelRegistry& registry,
                                                     const EngineOptions& engine,
                                                     const LoadOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<Engine> loaded,
                   LoadEngine(std::move(program), model, registry, engine, options));
  return Session::Create(std::move(loaded));
}

}  // namespace infer
