// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "tools/api/load_session.h"
#include "tools/cli/console.h"

namespace infer {

// Call LoadEngine and LoadSession, and show devices, progress and warnings on stderr.
absl::StatusOr<std::unique_ptr<Engine>> LoadEngineWithConsole(Program program,
                                                              const ModelFile& model,
                                                              const KernelRegistry& registry,
                                                              const EngineOptions& engine,
                                                              bool pack_cache, Console* console);
absl::StatusOr<std::unique_ptr<Session>> LoadWithConsole(Program program, const ModelFile& model,
                                                         const KernelRegistry& registry,
                                                         const EngineOptions& engine,
                                                         bool pack_cache, Console* console);

}  // namespace infer
