// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/api/compile_model.h"
#include "tools/api/load_session.h"
#include "tools/cli/tool.h"

namespace infer {

// Call LoadEngine and LoadSession, show devices, progress and warnings on stderr, and stop at a
// signal.
absl::StatusOr<std::unique_ptr<Engine>> LoadEngineWithConsole(
    Program program, const ModelFile& model, const KernelRegistry& registry,
    const EngineOptions& engine, const PackCacheRequest& pack_cache, ToolContext* context);
absl::StatusOr<std::unique_ptr<Session>> LoadWithConsole(Program program, const ModelFile& model,
                                                         const KernelRegistry& registry,
                                                         const EngineOptions& engine,
                                                         const PackCacheRequest& pack_cache,
                                                         ToolContext* context);

// Calls CompileToRun, and shows warnings on stderr. A signal ends the process at once, also where a
// model was loaded before, so stdout is flushed first. The ranks of a divided run end together and
// not by themselves: there the signal is noticed when the program is loaded.
absl::StatusOr<Program> CompileWithConsole(const ModelFile& model, const KernelRegistry& registry,
                                           CompileModelOptions options, ToolContext* context);

// Returns the line that names --pack-cache where packing took long; empty if it did not, or if the
// flag was given.
std::string PackCacheHint(double pack_seconds, const PackCacheRequest& pack_cache);

}  // namespace infer
