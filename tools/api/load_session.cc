// SPDX-License-Identifier: Apache-2.0
#include "tools/api/load_session.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "backends/simd/levels/choose_level.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/worker_pool.h"

namespace infer {

std::string PackCachePath(const ModelFile& model, const PackCacheRequest& request) {
  const simd::Level* level = simd::ChosenLevel().level;
  const std::string ending = StrCat(".", level == nullptr ? "scalar" : level->name, ".infer-pack");
  const std::string& path = model.gguf().path();
  if (request.folder.empty()) return path + ending;
  const std::filesystem::path name = std::filesystem::path(path).filename();
  const std::string hash = model.gguf().model_ref().header_hash.substr(0, 16);
  return (std::filesystem::path(request.folder) / StrCat(name.string(), "-", hash, ending))
      .string();
}

PackOptions PackOptionsFor(const ModelFile& model, const KernelRegistry& registry,
                           const LoadOptions& options) {
  PackOptions pack;
  pack.work.parallel = MakeParallelFor(registry.backend(Device::kCpu)->threads());
  pack.work.progress = options.progress;
  pack.work.stop = options.stop;
  pack.warn = options.warn;
  if (options.pack_cache.on) {
    std::error_code ignored;  // a folder that is missing shows when the file is written
    if (const std::string& folder = options.pack_cache.folder; !folder.empty()) {
      std::filesystem::create_directories(folder, ignored);
    }
    pack.cache_path = PackCachePath(model, options.pack_cache);
    if (const Collective* ranks = registry.collective(); ranks != nullptr) {
      StrAppend(&pack.cache_path, ".", ranks->rank(), "of", ranks->ranks());
    }
  }
  return pack;
}

EngineOptions WithTokensOf(const ModelFile& model, EngineOptions engine,
                           const LoadOptions& options) {
  engine.tokens = model.CountTokens();
  const absl::StatusOr<ModelConfig> config = model.ReadConfig();
  if (engine.tokens > 0 && config.ok() && config->vocabulary > engine.tokens && options.warn) {
    options.warn(StrCat(model.gguf().path(), ": the token matrix has ", config->vocabulary,
                        " rows for ", engine.tokens,
                        " tokens; the rows after them are never chosen"));
  }
  return engine;
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
  return Engine::Create(std::move(executable), WithTokensOf(model, engine, options));
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
