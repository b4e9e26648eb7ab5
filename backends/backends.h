// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/kernel_registry.h"
#include "runtime/thread_team.h"

namespace infer {

// Every back end that this build has and this machine can run.
// One thread runs everything.
std::unique_ptr<KernelRegistry> MakeKernelRegistry();
// A team of threads runs what is placed on `parallel`.
absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(
    const ThreadTeamOptions& threads);

}  // namespace infer
