// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"
#include "tools/api/compile_model.h"

namespace infer {

// Compiles a model for a run on this machine, as CompileModel does. Kernels of other devices are
// loaded; if some do not work (a shader that the system's compiler refuses), `options.warn` is
// called and the model is compiled again without them.
absl::StatusOr<Program> CompileToRun(const ModelFile& model, const KernelRegistry& registry,
                                     const CompileModelOptions& options);

}  // namespace infer
