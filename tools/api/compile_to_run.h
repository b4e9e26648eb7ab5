// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"
#include "tools/api/compile_model.h"

namespace infer {

// CompileModel for a run on this machine: kernels of other devices are loaded, and if some turn out
// not to work (a shader that the system's compiler refuses), `options.warn` hears of it and the
// model is compiled again without them.
absl::StatusOr<Program> CompileToRun(const ModelFile& model, const KernelRegistry& registry,
                                     const CompileModelOptions& options);

}  // namespace infer
