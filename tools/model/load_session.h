// SPDX-License-Identifier: Apache-2.0
//
// From a Program to a Session, the way that every tool loads one: weights packed by as many
// threads as will run it, with progress on stderr, and kept in a file if asked to.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/session.h"
#include "tools/cli/console.h"
#include "tools/model/model_file.h"

namespace infer {

// The file that keeps the packed weights of a model: beside it, one for each level of the CPU,
// "model.gguf.i8mm.infer-pack".
std::string PackCachePath(std::string_view model_path);

// `options.pack` is filled in here. What goes wrong with the file of packed weights is a warning.
absl::StatusOr<std::unique_ptr<Session>> LoadSession(Program program, const ModelFile& model,
                                                     const KernelRegistry& registry,
                                                     SessionOptions options, bool pack_cache,
                                                     Console* console);

}  // namespace infer
