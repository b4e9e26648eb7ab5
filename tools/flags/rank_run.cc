// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/rank_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "tools/api/process_ranks.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

// How long a rank that fails waits for another to report it: mpirun ends all ranks a second after
// the first has ended with an error.
constexpr std::chrono::seconds kReportTime{4};

// Tells the others about the error and leaves the report to one of them, if there is one.
absl::Status EndRanks(absl::Status status) {
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
  SetProcessRanks(nullptr);
  if (ranks == nullptr || status.ok() || IsQuiet(status)) return status;
  const bool knew = ranks->failed();
  ranks->Abort(status);
  if (ranks->rank() == 0) return status;
  if (ranks->should_report() && knew) return status;
  const auto end = std::chrono::steady_clock::now() + kReportTime;
  while (std::chrono::steady_clock::now() < end && ranks->IsAlive(0)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return Quiet(std::move(status));
}

}  // namespace

absl::Status StartRanks(ToolContext* context) {
  if (LaunchedRanks() < 2) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<MpiRanks> ranks,
                   MpiRanks::Start({.stop = &context->interrupt().stop_flag()}));
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

absl::Status ShareCacheSize(EngineOptions* options) {
  const std::shared_ptr<MpiRanks> ranks = ProcessRanks();
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
  if (ranks == nullptr) return loaded;
  if (absl::Status agreed =
          AgreeOnLoad(*ranks, loaded, engine == nullptr ? nullptr : &engine->program());
      !agreed.ok()) {
    return ranks->rank() == 0 ? agreed : Quiet(std::move(agreed));
  }
  if (ranks->rank() == 0) return absl::OkStatus();
  RETURN_IF_ERROR(engine->Follow());
  return Quiet(absl::CancelledError("rank 0 has ended"), kExitOk);
}

}  // namespace infer
