// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/kernel_registry.h"
#include "runtime/thread_team.h"

namespace infer {

// What shares the units of a sliced step out: our own team, which walks a whole segment together,
// or oneTBB, one parallel loop for each phase of a step.
enum class ThreadsBy { kTeam, kTbb };

// Every back end that this build has and this machine can run, and those of `more`.
// One thread runs everything.
std::unique_ptr<KernelRegistry> MakeKernelRegistry(std::vector<std::unique_ptr<Backend>> more = {});
// So many threads run what is placed on `parallel`. kTbb knows no pinning.
absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(
    const ThreadTeamOptions& threads, ThreadsBy by = ThreadsBy::kTeam,
    std::vector<std::unique_ptr<Backend>> more = {});

}  // namespace infer
