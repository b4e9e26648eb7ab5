// SPDX-License-Identifier: Apache-2.0
//
// Loads a Program into an Engine or a Session; the only way to do so. Weights are packed by as many
// threads as will run the model, and are kept in a file if requested.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/session.h"
#include "tools/api/model_file.h"

namespace infer {

// Returns the path of the file that keeps a model's packed weights, beside the model and one for
// each CPU level: "model.gguf.i8mm.infer-pack".
std::string PackCachePath(std::string_view model_path);

struct LoadOptions {
  bool pack_cache = false;
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> progress;  // of packing
  // Receives problems with the file of packed weights, which do not stop the loading.
  std::function<void(const std::string&)> warn;
};

// Returns how the weights of the model are packed for these options: by the registry's threads.
PackOptions PackOptionsFor(const ModelFile& model, const KernelRegistry& registry,
                           const LoadOptions& options);

absl::StatusOr<std::unique_ptr<Engine>> LoadEngine(Program program, const ModelFile& model,
                                                   const KernelRegistry& registry,
                                                   const EngineOptions& engine,
                                                   const LoadOptions& options);

// The same for one sequence.
absl::StatusOr<std::unique_ptr<Session>> LoadSession(Program program, const ModelFile& model,
                                                     const KernelRegistry& registry,
                                                     const EngineOptions& engine,
                                                     const LoadOptions& options);

}  // namespace infer
