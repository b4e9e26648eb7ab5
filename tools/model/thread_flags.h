// SPDX-License-Identifier: Apache-2.0
//
// The flags about threads, the same in every tool that has them, and what follows from them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "backends/backends.h"
#include "runtime/thread_count.h"
#include "tools/cli/flags.h"

namespace infer {

struct ThreadFlags {
  int64_t count = 0;  // 0: as many as the machine grants
  bool pin = false;
  ThreadsBy by = ThreadsBy::kTeam;
};

// --threads, --pin and --threads-by.
void RegisterThreads(Flags& flags, ThreadFlags* options);
// --threads alone, for a tool that only counts with them; `help` says for what.
void RegisterThreadCount(Flags& flags, ThreadFlags* options, std::string help);
// Without --threads, for a tool that takes a list of counts.
void RegisterThreadKind(Flags& flags, ThreadFlags* options);

// "team" or "tbb".
std::string NameOf(ThreadsBy by);

struct ThreadChoice {
  ThreadTeamOptions team;
  ThreadsBy by = ThreadsBy::kTeam;
  std::string derivation;  // "2 = min(affinity 2)", "3 by -t; by itself 2 = min(affinity 2)"
};

ThreadChoice ChooseThreads(const ThreadFlags& flags, const ThreadLimits& limits);

// Every back end, with the threads that were asked for.
absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(const ThreadChoice& threads);

}  // namespace infer
