// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/start_watch.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <optional>
#include <utility>

#include "ir/base/strings.h"
#include "runtime/mpi/peer_watch.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{20};
// mpirun ends the ranks one second after it has asked them to end. A start that is about to succeed
// takes less than this.
constexpr std::chrono::milliseconds kPatience{300};

int64_t PidIn(const std::string& path) {
  int64_t pid = 0;
  std::ifstream(path) >> pid;
  return pid;
}

}  // namespace

StartWatch::StartWatch(Options options) : options_(std::move(options)) {
  if (!options_.folder.empty()) {
    std::ofstream(FileOf(options_.rank)) << getpid() << "\n";  // without it, a worse message
  }
  thread_ = std::thread([this] { Run(); });
}

StartWatch::~StartWatch() {
  over_.store(true);
  thread_.join();
}

std::string StartWatch::FileOf(int rank) const {
  return StrCat(options_.folder, "/infer-rank-", rank);
}

bool StartWatch::IsThere(int rank) const {
  const int64_t pid = PidIn(FileOf(rank));
  return pid > 0 && (kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH);
}

void StartWatch::Run() {
  std::optional<Clock::time_point> asked;
  while (!asked || Clock::now() - *asked < kPatience) {
    std::this_thread::sleep_for(kLook);  // on a busy machine for much longer
    if (over_.load()) return;
    if (!asked && options_.stop != nullptr && options_.stop->load()) asked = Clock::now();
  }
  int missing = -1, first = -1;
  for (int rank = options_.ranks - 1; rank >= 0 && !options_.folder.empty(); --rank) {
    (rank == options_.rank || IsThere(rank) ? first : missing) = rank;
  }
  const std::string host = ThisHome().host;
  if (missing < 0) {
    options_.end(absl::CancelledError(StrCat("rank ", options_.rank, " (host ", host,
                                             ") was asked to end while the ranks were starting")),
                 options_.rank == 0);
  } else {
    options_.end(absl::UnavailableError(StrCat("rank ", missing, " (host ", host,
                                               ") ended while the ranks were starting")),
                 options_.rank == first);
  }
}

}  // namespace infer
