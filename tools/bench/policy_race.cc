// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/policy_race.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

// A policy that takes this many times as long as the best is measured once: scalar would take
// hours.
constexpr double kTooSlow = 3;
constexpr int kWarmCalls = 10;
constexpr double kSlowCallNs = 3e9;  // one call of this length is enough

absl::StatusOr<double> CallNs(Session& session, int64_t tokens, const std::atomic<bool>* stop) {
  const std::vector<int32_t> ids(static_cast<size_t>(tokens), 1);
  session.Clear();
  const Clock::time_point start = Clock::now();
  RETURN_IF_ERROR(session.Prefill(ids, stop));
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Returns the mean over enough calls.
absl::StatusOr<double> RoundNs(Session& session, int64_t tokens, const RaceOptions& options) {
  double spent = 0;
  int64_t calls = 0;
  while (calls == 0 || spent < options.round_ns) {
    ASSIGN_OR_RETURN(double ns, CallNs(session, tokens, options.stop));
    spent += ns;
    ++calls;
  }
  return spent / static_cast<double>(calls);
}

struct Mean {
  double value = 0;
  double error = 0;
};

Mean MeanOf(std::span<const double> numbers) {
  const double n = static_cast<double>(numbers.size());
  Mean mean;
  for (double number : numbers) mean.value += number / n;
  double squares = 0;
  for (double number : numbers) squares += (number - mean.value) * (number - mean.value);
  if (n > 1) mean.error = std::sqrt(squares / (n - 1) / n);
  return mean;
}

absl::StatusOr<RaceTimes> RaceAt(int64_t tokens, std::vector<Racer>& racers,
                                 const RaceOptions& options) {
  RaceTimes times{.tokens = tokens, .policies = {}, .rounds_ns = {}};
  std::vector<double> warm_ns;
  for (Racer& racer : racers) {
    if (options.on_round) options.on_round(StrCat(racer.policy, ", T = ", tokens, ", warm-up"));
    ASSIGN_OR_RETURN(double least, CallNs(*racer.session, tokens, options.stop));
    // The first call meets cold code and pages, and any call may be disturbed.
    for (int call = 1; call < kWarmCalls && least < kSlowCallNs; ++call) {
      ASSIGN_OR_RETURN(double ns, CallNs(*racer.session, tokens, options.stop));
      least = std::min(least, ns);
    }
    warm_ns.push_back(least);
    times.policies.push_back(racer.policy);
  }
  const double best = *std::ranges::min_element(warm_ns);
  times.rounds_ns.resize(racers.size());
  for (size_t i = 0; i < racers.size(); ++i) {
    if (warm_ns[i] > kTooSlow * best) times.rounds_ns[i] = {warm_ns[i]};
  }
  for (int64_t round = 0; round < options.rounds; ++round) {
    for (size_t k = 0; k < racers.size(); ++k) {
      const size_t i = (k + static_cast<size_t>(round)) % racers.size();  // the first place rotates
      if (warm_ns[i] > kTooSlow * best) continue;
      if (options.on_round) options.on_round(StrCat(racers[i].policy, ", T = ", tokens));
      ASSIGN_OR_RETURN(double ns, RoundNs(*racers[i].session, tokens, options));
      times.rounds_ns[i].push_back(ns);
    }
  }
  return times;
}

}  // namespace

absl::StatusOr<std::vector<RaceTimes>> Race(std::vector<Racer>& racers,
                                            const RaceOptions& options) {
  std::vector<RaceTimes> races;
  for (int64_t tokens : options.tokens) {
    ASSIGN_OR_RETURN(races.emplace_back(), RaceAt(tokens, racers, options));
  }
  return races;
}

std::vector<Standing> StandingsOf(const RaceTimes& times) {
  std::vector<Standing> standings;
  size_t best = 0;
  for (size_t i = 0; i < times.policies.size(); ++i) {
    const Mean mean = MeanOf(times.rounds_ns[i]);
    standings.push_back({times.policies[i], mean.value, mean.error});
    if (mean.value < standings[best].mean_ns) best = i;
  }
  for (size_t i = 0; i < standings.size(); ++i) {
    Standing& standing = standings[i];
    standing.ratio = standing.mean_ns / standings[best].mean_ns;
    standing.behind_ns = standing.mean_ns - standings[best].mean_ns;
    const std::vector<double>& a = times.rounds_ns[i];
    const std::vector<double>& b = times.rounds_ns[best];
    if (a.size() != b.size()) continue;
    std::vector<double> behind;
    for (size_t r = 0; r < a.size(); ++r) behind.push_back(a[r] - b[r]);
    standing.behind_se_ns = MeanOf(behind).error;
  }
  return standings;
}

std::string RaceTable(const std::vector<RaceTimes>& races) {
  std::string text =
      "| tokens | policy | rounds | us per call | standard error | tokens/s | over the best | "
      "within "
      "two standard errors |\n| ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |\n";
  for (const RaceTimes& race : races) {
    const std::vector<Standing> standings = StandingsOf(race);
    for (size_t i = 0; i < standings.size(); ++i) {
      const Standing& s = standings[i];
      const size_t rounds = race.rounds_ns[i].size();
      const double behind_error = 100 * s.behind_se_ns / (s.mean_ns / s.ratio);
      // A policy that was too slow to continue shows the best of its first calls, without a
      // standard error.
      absl::StrAppendFormat(&text, "| %d | %s | %s | %.2f | %s | %.0f | %+.2f %%%s | %s |\n",
                            race.tokens, s.policy, rounds > 1 ? StrCat(rounds) : "first calls",
                            s.mean_ns / 1e3,
                            rounds > 1 ? absl::StrFormat("%.2f", s.se_ns / 1e3) : "-",
                            1e9 * static_cast<double>(race.tokens) / s.mean_ns, 100 * (s.ratio - 1),
                            rounds > 1 ? absl::StrFormat(" +- %.2f", behind_error) : "",
                            s.ratio == 1            ? "best"
                            : s.IsWithinTwoErrors() ? "yes"
                                                    : "no");
    }
  }
  return text;
}

}  // namespace infer
