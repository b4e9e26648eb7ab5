// SPDX-License-Identifier: Apache-2.0
//
// Runs calls of the same sizes under several policies in turn, so that disturbances on the machine
// affect all of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/session.h"

namespace infer {

struct Racer {
  std::string policy;
  std::unique_ptr<Session> session;
};

// Nanoseconds of a call of `tokens` tokens: for each policy, one number per round.
struct RaceTimes {
  int64_t tokens = 0;
  std::vector<std::string> policies;
  std::vector<std::vector<double>> rounds_ns;  // by policy; one number if too slow
};

struct RaceOptions {
  std::vector<int64_t> tokens;
  int64_t rounds = 10;
  double round_ns = 3e7;  // calls of a round take at least this long together
  std::function<void(const std::string& note)> on_round = {};
  const std::atomic<bool>* stop = nullptr;
};

absl::StatusOr<std::vector<RaceTimes>> Race(std::vector<Racer>& racers, const RaceOptions& options);

// The result of one policy at one size.
struct Standing {
  std::string policy;
  double mean_ns = 0;
  double se_ns = 0;         // standard error of the mean; 0 for a single round
  double behind_ns = 0;     // behind the best, as a mean over rounds; 0 for the best itself
  double behind_se_ns = 0;  // of behind_ns: drifts of the machine affect both and cancel out
  double ratio = 1;         // of the means
  bool IsWithinTwoErrors() const { return behind_ns <= 2 * behind_se_ns; }
};
// Returns the standings in the order of the policies; the best has the least mean.
std::vector<Standing> StandingsOf(const RaceTimes& times);

// Returns a table with one line for each size and policy.
std::string RaceTable(const std::vector<RaceTimes>& races);

}  // namespace infer
