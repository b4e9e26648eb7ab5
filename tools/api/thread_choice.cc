// SPDX-License-Identifier: Apache-2.0
#include "tools/api/thread_choice.h"

#include <utility>

#include "backends/ranks/ranks_backend.h"
#include "ir/base/strings.h"
#include "tools/api/process_ranks.h"

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

std::string TooManyThreadsWarning(const ThreadRequest& request, const ThreadLimits& limits) {
  const int usable = limits.UsableCpus();
  if (request.count <= usable) return {};
  std::string text = StrCat(request.count, " threads for ", usable, usable == 1 ? " CPU" : " CPUs",
                            " that this process may use");
  if (usable < limits.affinity) StrAppend(&text, ", by the quota of its control group");
  return text + ": they will wait for each other";
}

absl::StatusOr<std::unique_ptr<KernelRegistry>> MakeKernelRegistry(const ThreadChoice& threads) {
  std::vector<std::unique_ptr<Backend>> more;
  if (std::shared_ptr<Collective> transport = ProcessTransport(); transport != nullptr) {
    more.push_back(std::make_unique<RanksBackend>(std::move(transport)));
  }
  return MakeKernelRegistry(threads.team, threads.by, std::move(more));
}

}  // namespace infer
