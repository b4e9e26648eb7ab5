// SPDX-License-Identifier: Apache-2.0
#include "tools/api/thread_choice.h"

#include "ir/base/strings.h"

namespace infer {

std::string NameOf(ThreadsBy by) { return by == ThreadsBy::kTeam ? "team" : "tbb"; }

ThreadChoice ChooseThreads(const ThreadRequest& request, const ThreadLimits& limits) {
  ThreadChoice choice;
  choice.team.threads = request.count == 0 ? limits.Count() : static_cast<int>(request.count);
  choice.team.pin = request.pin;
  choice.by = request.by;
  choice.derivation = limits.Derivation();
  if (request.count != 0) {
    choice.derivation = StrCat(request.count, " as asked; by itself ", limits.Derivation());
  }
  return choice;
}

absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(const ThreadChoice& threads) {
  return MakeKernelRegistry(threads.team, threads.by);
}

}  // namespace infer
