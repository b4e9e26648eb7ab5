// SPDX-License-Identifier: Apache-2.0
//
// From a Program to a Session, the one way to load one: weights packed by as many threads as will
// run it, and kept in a file if asked to.
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

// The file that keeps the packed weights of a model: beside it, one for each level of the CPU,
// "model.gguf.i8mm.infer-pack".
std::string PackCachePath(std::string_view model_path);

struct LoadOptions {
  bool pack_cache = false;
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> progress;  // of packing
  // Told what goes wrong with the file of packed weights, and does not stop the loading.
  std::function<void(const std::string&)> warn;
};

// How the weights of the model are packed for these options: by the registry's threads.
PackOptions PackOptionsFor(const ModelFile& model, const KernelRegistry& registry,
                           const LoadOptions& options);

// `session.pack` is filled in here.
absl::StatusOr<std::unique_ptr<Session>> LoadSession(Program program, const ModelFile& model,
                                                     const KernelRegistry& registry,
                                                     SessionOptions session,
                                                     const LoadOptions& options);

}  // namespace infer
