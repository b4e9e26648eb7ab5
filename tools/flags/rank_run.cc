// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/rank_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/mpi/stuck_launcher.h"
#include "runtime/sharded_weights.h"
#include "tools/api/process_ranks.h"
#include "tools/cli/build_info.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

// How long a rank that fails waits for another to report it: mpirun ends all ranks a second after
// the first has ended with an error.
constexpr std::chrono::seconds kReportTime{4};

constexpr char kFollowed[] = "rank 0 has ended its engine";

// Tells the others about the error and leaves the report to one of them, if there is one.
absl::Status EndRanks(absl::Status status) {
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
  SetProcessRanks(nullptr);
  if (ranks == nullptr || IsQuiet(status)) return status;
  // A tool that was asked to end because another rank has failed does not know that.
  if (status.ok() || absl::IsCancelled(status)) {
    if (absl::Status failure = ranks->failure(); !failure.ok()) status = std::move(failure);
  }
  if (status.ok()) return status;
  const bool is_other = !ranks->failure().ok();  // rather than this one
  ranks->Abort(status);
  if (ranks->was_paused()) return Quiet(std::move(status));
  if (is_other ? ranks->should_report() : ranks->rank() == 0) return status;
  const auto end = std::chrono::steady_clock::now() + kReportTime;
  while (std::chrono::steady_clock::now() < end && ranks->IsAlive(0)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return Quiet(std::move(status));
}

// All processes have to end within 5 s of a rank's death; an mpirun that works takes one.
constexpr std::chrono::milliseconds kLauncherTime{2000};

// MPI cannot be told to stop waiting.
void EndStart(const absl::Status& error, bool report) {
  if (report) PrintError(STDERR_FILENO, error);
  EndStuckLauncher(kLauncherTime);
  _exit(ExitCodeFor(error));
}

// Ends rank 0 as a signal does, wherever it waits: for a line, a request, a file.
void EndThisProcess() { kill(getpid(), SIGTERM); }

}  // namespace

absl::Status StartRanks(ToolContext* context) {
  if (LaunchedRanks() < 2) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<MpiRanks> ranks,
                   MpiRanks::Start({.stop = &context->interrupt().stop_flag(),
                                    .on_abandoned = EndStart,
                                    .on_failure = LaunchedRank() == 0 ? EndThisProcess : nullptr}));
  NetworkDelay network;
  if (const char* text = std::getenv("INFER_NETWORK"); text != nullptr) {
    ASSIGN_OR_RETURN(network, ParseNetworkDelay(text));
  }
  SetProcessRanks(std::move(ranks), network);
  context->SetEnd(EndRanks);
  return absl::OkStatus();
}

bool FollowsRank0() {
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
  return ranks != nullptr && ranks->rank() != 0;
}

absl::Status RefuseRanks(std::string_view what) {
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
  if (ranks == nullptr) return absl::OkStatus();
  return UsageError(StrCat(what, " runs models in one process; start it without mpirun"));
}

absl::Status ShareCacheSize(const Program& program, EngineOptions* options) {
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
  if (ranks == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(CheckRanks(program, ranks.get()));
  const std::array<int64_t, 2> own = {options->context, options->cache_positions};
  std::vector<std::array<int64_t, 2>> all(static_cast<size_t>(ranks->ranks()));
  RETURN_IF_ERROR(
      ranks->AllGather(std::as_bytes(std::span(own)), reinterpret_cast<std::byte*>(all.data())));
  for (const auto& [context, positions] : all) {
    options->context = std::min(options->context, context);
    options->cache_positions = std::min(options->cache_positions, positions);
  }
  return absl::OkStatus();
}

absl::Status JoinRanks(const absl::Status& loaded, Engine* engine) {
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
  // EndRanks tells the others, which may be waiting for this one with what they have loaded.
  if (ranks == nullptr || !loaded.ok()) return loaded;
  const LoadedRank own = {
      .program = &engine->program(),
      .build = GitRevision(),
      .threads = engine->executable().registry().backend(Device::kCpu)->threads()};
  if (absl::Status agreed = AgreeOnLoad(*ranks, own); !agreed.ok()) {
    // All of them know it and rank 0 reports it, unless it is rank 0 that is missing.
    const bool all_know = ranks->rank() != 0 && ranks->failure().ok();
    return all_know ? Quiet(std::move(agreed)) : agreed;
  }
  if (ranks->rank() == 0) return absl::OkStatus();
  RETURN_IF_ERROR(engine->Follow());
  return Quiet(absl::CancelledError(kFollowed), kExitOk);
}

bool HasFollowed(const absl::Status& status) {
  return IsQuiet(status) && ToStd(status.message()) == kFollowed;
}

}  // namespace infer
