// SPDX-License-Identifier: Apache-2.0
//
// Decides how many threads run a model, and says why.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "backends/backends.h"
#include "runtime/thread_count.h"

namespace infer {

struct ThreadRequest {
  int64_t count = 0;  // 0 means as many as the machine grants
  bool pin = false;
  ThreadsBy by = ThreadsBy::kTeam;
};

// "team" or "tbb".
std::string NameOf(ThreadsBy by);

struct ThreadChoice {
  ThreadTeamOptions team;
  ThreadsBy by = ThreadsBy::kTeam;
  std::string derivation;  // "2 = min(affinity 2)", "3 as asked; by itself 2 = min(affinity 2)"
};

ThreadChoice ChooseThreads(const ThreadRequest& request, const ThreadLimits& limits);

// Returns a warning if more threads were asked for than there are CPUs for this process; else
// empty.
std::string TooManyThreadsWarning(const ThreadRequest& request, const ThreadLimits& limits);

// Creates a registry of every back end, with these threads and the other ranks of this process.
absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(const ThreadChoice& threads);

}  // namespace infer
