// SPDX-License-Identifier: Apache-2.0
//
// How many threads run a model, and why.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "backends/backends.h"
#include "runtime/thread_count.h"

namespace infer {

struct ThreadRequest {
  int64_t count = 0;  // 0: as many as the machine grants
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

// Every back end, with these threads.
absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(const ThreadChoice& threads);

}  // namespace infer
