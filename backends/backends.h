// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/kernel_registry.h"
#include "runtime/thread_team.h"

namespace infer {

// How the units of a sliced step are distributed: by our own team, whose threads walk a whole
// segment together, or by oneTBB, with one parallel loop per phase of a step.
enum class ThreadsBy { kTeam, kTbb };

// Creates a registry of every back end that this build has and this machine can run, plus `more`.
// One thread runs everything.
std::unique_ptr<KernelRegistry> MakeKernelRegistry(std::vector<std::unique_ptr<Backend>> more = {});
// The same with this many threads for nodes placed on `parallel`. kTbb does not support pinning.
absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(
    const ThreadTeamOptions& threads, ThreadsBy by = ThreadsBy::kTeam,
    std::vector<std::unique_ptr<Backend>> more = {});

}  // namespace infer
