// SPDX-License-Identifier: Apache-2.0
#include "tools/model/thread_flags.h"

#include <utility>

#include "ir/base/strings.h"

namespace infer {

void RegisterThreads(Flags& flags, ThreadFlags* options) {
  RegisterThreadCount(flags, options, "threads that run the model; 0 chooses");
  RegisterThreadKind(flags, options);
}

void RegisterThreadCount(Flags& flags, ThreadFlags* options, std::string help) {
  flags.Int("-t,--threads", &options->count, "N", std::move(help))
      .Range(0, ThreadTeam::kMaxThreads)
      .Default("0: one for each fast CPU, as far as a quota pays for it");
}

void RegisterThreadKind(Flags& flags, ThreadFlags* options) {
  flags.Bool("--pin", &options->pin, "keep each thread of the team but the first on one CPU");
  flags.Enum(
      "--threads-by", &options->by,
      {{NameOf(ThreadsBy::kTeam), ThreadsBy::kTeam}, {NameOf(ThreadsBy::kTbb), ThreadsBy::kTbb}},
      "who shares out the work: a team that walks whole segments, or oneTBB loop by loop; "
      "the result is the same");
}

std::string NameOf(ThreadsBy by) { return by == ThreadsBy::kTeam ? "team" : "tbb"; }

ThreadChoice ChooseThreads(const ThreadFlags& flags, const ThreadLimits& limits) {
  ThreadChoice choice;
  choice.team.threads = flags.count == 0 ? limits.Count() : static_cast<int>(flags.count);
  choice.team.pin = flags.pin;
  choice.by = flags.by;
  choice.derivation = limits.Derivation();
  if (flags.count != 0) {
    choice.derivation = StrCat(flags.count, " by -t; by itself ", limits.Derivation());
  }
  return choice;
}

absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(const ThreadChoice& threads) {
  return MakeKernelRegistry(threads.team, threads.by);
}

}  // namespace infer
