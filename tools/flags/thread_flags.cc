// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/thread_flags.h"

#include <utility>

namespace infer {

void RegisterThreads(Flags& flags, ThreadRequest* options) {
  RegisterThreadCount(flags, options, "threads that run the model; 0 chooses automatically");
  RegisterThreadKind(flags, options);
}

void RegisterThreadCount(Flags& flags, ThreadRequest* options, std::string help) {
  flags.Int("-t,--threads", &options->count, "N", std::move(help))
      .Range(0, ThreadTeam::kMaxThreads)
      .Default("0: one for each fast CPU, within a CPU quota");
}

void RegisterThreadKind(Flags& flags, ThreadRequest* options) {
  flags.Bool("--pin", &options->pin, "keep each thread of the team but the first on one CPU");
  flags.Enum(
      "--threads-by", &options->by,
      {{NameOf(ThreadsBy::kTeam), ThreadsBy::kTeam}, {NameOf(ThreadsBy::kTbb), ThreadsBy::kTbb}},
      "how work is distributed: a team that runs whole segments, or oneTBB loop by loop; "
      "the result is the same");
}

ThreadChoice ChooseThreadsWithConsole(const ThreadRequest& request, Console* console) {
  const ThreadLimits limits = ReadThreadLimits();
  if (std::string text = TooManyThreadsWarning(request, limits); !text.empty()) {
    console->Warning(text);
  }
  return ChooseThreads(request, limits);
}

}  // namespace infer
