// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/rank_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
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

// How long a rank that fails waits for another to report it. An mpirun that was asked to end kills
// all ranks as soon as one of them has ended.
constexpr std::chrono::seconds kReportTime{4};
// How much later than rank 0 the others end: mpirun exits with the code of the rank that ends
// first. The end of a process also wakes an mpirun that is asleep because it was asked to end, and
// ends at the same time wake it only once.
constexpr std::chrono::milliseconds kFirstToEnd{100};

constexpr char kFollowed[] = "rank 0 has ended its engine";

// Whether this process has asked itself to end because another rank has failed.
std::atomic<bool> ended_by_failure = false;

// Ends rank 0 as a signal does, wherever it waits: for a line, a request, a file. If it is ending
// already, because others asked it to, a second signal would end it before it has said so.
void EndThisProcess(const std::atomic<bool>& stop) {
  if (stop) return;
  ended_by_failure = true;
  kill(getpid(), SIGTERM);
}

// Ends the connection of rank 0. MPI_Finalize waits for mpirun, which may be asleep because it was
// asked to end; so a signal ends this process at once, and says so. It must then be a real one.
absl::Status Disconnect(ToolContext* context, std::shared_ptr<MpiRanks>* ranks) {
  RETURN_IF_ERROR(context->out().Finish());
  RETURN_IF_ERROR((*ranks)->StopWatching());
  return context->interrupt().DoUnchecked([ranks] {
    ranks->reset();
    return absl::OkStatus();
  });
}

// Tells the others about the error and leaves the report to one of them, if there is one. Keeps
// `own` unless all is well: others end when rank 0 says goodbye, which must be after its report.
absl::Status EndRanks(ToolContext* context, std::shared_ptr<MpiRanks>* own, absl::Status status) {
  SetProcessRanks(nullptr);
  MpiRanks* ranks = own->get();
  const bool orderly = (status.ok() || IsQuiet(status)) && ranks->failure().ok();
  if (orderly && ranks->rank() == 0) {
    if (absl::Status end = Disconnect(context, own); !end.ok()) status = std::move(end);
    if (*own == nullptr) return status;
  } else if (orderly) {
    absl::Status end = ranks->AwaitEndOfRank0();
    if (end.ok()) return status;
    status = std::move(end);
  }
  // A tool that was asked to end because another rank has failed does not know that.
  if (status.ok() || IsQuiet(status) || absl::IsCancelled(status)) {
    if (absl::Status failure = ranks->failure(); !failure.ok()) status = std::move(failure);
  }
  if (status.ok() || IsQuiet(status)) return status;
  // All ranks were asked to end, and another gave up a call of theirs first.
  const bool gave_up = absl::IsAborted(status) && absl::IsAborted(ranks->failure());
  if (gave_up && context->interrupt().requested() && !ended_by_failure) {
    status = context->interrupt().Check();
  }
  const bool is_other = !ranks->failure().ok();  // rather than this one
  ranks->Abort(status);
  if (ranks->was_paused()) return Quiet(std::move(status));
  if (is_other ? ranks->should_report() : ranks->rank() == 0) return status;
  const auto end = std::chrono::steady_clock::now() + kReportTime;
  while (std::chrono::steady_clock::now() < end && ranks->IsAlive(0)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(kFirstToEnd);
  return Quiet(std::move(status));
}

// All processes have to end within 5 s of a rank's death; an mpirun that works takes one.
constexpr std::chrono::milliseconds kLauncherTime{1500};

// MPI cannot be told to stop waiting.
void EndStart(const Interrupt& interrupt, const absl::Status& error, bool report) {
  if (report) PrintError(STDERR_FILENO, error);
  EndStuckLauncher(kLauncherTime);
  _exit(ExitCodeFor(absl::IsCancelled(error) ? interrupt.Check() : error));
}

// The network to imitate is rank 0's: a launcher does not give its environment to other hosts.
absl::StatusOr<NetworkDelay> ReadNetwork() {
  const char* text = LaunchedRank() == 0 ? std::getenv("INFER_NETWORK") : nullptr;
  if (text == nullptr) return NetworkDelay();
  absl::StatusOr<NetworkDelay> network = ParseNetworkDelay(text);
  if (network.ok()) return network;
  return UsageError(StrCat("INFER_NETWORK: ", ToStd(network.status().message())));
}

}  // namespace

absl::Status StartRanks(ToolContext* context) {
  if (LaunchedRanks() < 2) return absl::OkStatus();
  ASSIGN_OR_RETURN(NetworkDelay network, ReadNetwork());
  MpiRanks::Options options = {.stop = &context->interrupt().stop_flag()};
  options.on_abandoned = [&interrupt = context->interrupt()](const absl::Status& error,
                                                             bool report) {
    EndStart(interrupt, error, report);
  };
  if (LaunchedRank() == 0) {
    options.on_failure = [stop = options.stop] { EndThisProcess(*stop); };
  }
  ASSIGN_OR_RETURN(std::shared_ptr<MpiRanks> ranks, MpiRanks::Start(options));
  context->SetEnd([context, ranks](absl::Status status) mutable {
    return EndRanks(context, &ranks, std::move(status));
  });
  RETURN_IF_ERROR(ranks->Broadcast(std::as_writable_bytes(std::span(&network, 1))));
  SetProcessRanks(ranks, network);
  return absl::OkStatus();
}

bool FollowsRank0() {
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
  return ranks != nullptr && ranks->rank() != 0;
}

absl::Status RefuseRanks(std::string_view what, const ShardRequest& shard) {
  const bool launched = LaunchedRanks() > 1 || ProcessRanks() != nullptr;
  if (!launched && shard.ranks <= 1) return absl::OkStatus();
  return UsageError(StrCat(what, " runs models in one process; ",
                           launched ? "start it without mpirun" : "leave out --ranks"));
}

absl::Status ShareCacheSize(const Program& program, EngineOptions* options) {
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
  if (absl::Status checked = CheckRanks(program, ranks.get()); !checked.ok()) {
    const int wanted = program.policy.shard.ranks, found = ranks == nullptr ? 1 : ranks->ranks();
    return UsageError(
        StrCat(ToStd(checked.message()), " (",
               wanted == 1 ? std::string() : StrCat("mpirun -np ", wanted, " starts as many; "),
               "--ranks ", found, " compiles for ", found, ")"));
  }
  if (ranks == nullptr) return absl::OkStatus();
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
    const bool all_know = ranks->rank() != 0 && !ranks->failed();
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
