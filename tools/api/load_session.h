// SPDX-License-Identifier: Apache-2.0
//
// Loads a Program into an Engine or a Session; the only way to do so. Weights are packed by as many
// threads as will run the model, and are kept in a file if requested.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/session.h"
#include "tools/api/model_file.h"

namespace infer {

// Whether packed weights are kept in a file, and where.
struct PackCacheRequest {
  bool on = false;
  std::string folder = {};  // empty means that of the model
};

// Returns the path of the file that keeps a model's packed weights, one for each CPU level. Beside
// the model it is "model.gguf.i8mm.infer-pack"; in another folder, where models of one name may
// meet, "model.gguf-<16 digits of the header's hash>.i8mm.infer-pack".
std::string PackCachePath(const ModelFile& model, const PackCacheRequest& request);

struct LoadOptions {
  PackCacheRequest pack_cache = {};
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // ends the loading with kCancelled once it is true
  // Receives problems that do not stop the loading: those of the file of packed weights, and rows
  // of the token matrix that belong to no token.
  std::function<void(const std::string&)> warn = {};
};

// Returns how the weights of the model are packed for these options: by the registry's threads.
// Creates the folder for packed weights.
PackOptions PackOptionsFor(const ModelFile& model, const KernelRegistry& registry,
                           const LoadOptions& options);

// Returns the options with the number of tokens that the file lists. Warns if the token matrix has
// more rows.
EngineOptions WithTokensOf(const ModelFile& model, EngineOptions engine,
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
