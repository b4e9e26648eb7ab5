// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/step_planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace infer {
namespace {

// A prompt of 4,000 tokens that has waited for 8 s goes before a short one that just came.
constexpr double kTokensPerMsWaited = 0.5;
// Waiting this long is worth one step of priority.
constexpr double kMsPerPriority = 10'000;
// Prompts may take half as long as the rows of those who receive tokens for each prompt, and at
// most twice as long. 64 equal requests at once then end within 1.07 times their mean latency
// instead of 1.76, and gaps between tokens grow to three times those without prompts.
constexpr double kShareOfPrompt = 0.5;
constexpr double kMostOfPrompts = 2;

// Whether `a`, which waits behind `b`, would be done in half the time that `b` still needs.
bool IsMuchShorter(const PromptWork& a, const PromptWork& b) {
  return a.priority >= b.priority && 2 * a.remaining <= b.remaining;
}

// The prompts in `open` that are much shorter than prompts[long_one], the shortest first.
std::vector<size_t> MuchShorter(std::span<const PromptWork> prompts, std::span<const size_t> open,
                                size_t long_one) {
  std::vector<size_t> shorter;
  for (const size_t i : open) {
    if (i != long_one && IsMuchShorter(prompts[i], prompts[long_one])) shorter.push_back(i);
  }
  std::ranges::sort(shorter, {}, [&](size_t i) { return std::pair(prompts[i].remaining, i); });
  return shorter;
}

}  // namespace

bool ServedBefore(const PromptWork& a, const PromptWork& b) {
  const auto priority = [](const PromptWork& work) {
    return work.priority + std::floor(work.age_ms / kMsPerPriority);
  };
  if (priority(a) != priority(b)) return priority(a) > priority(b);
  const auto cost = [](const PromptWork& work) {
    return static_cast<double>(work.remaining) - kTokensPerMsWaited * work.age_ms;
  };
  return cost(a) < cost(b);
}

int64_t PromptBudget(const SymbolValues& decode, bool is_streaming, const PromptLoad& load,
                     const StepLimits& limits, StepCost& cost) {
  const int64_t room = limits.max_tokens - decode.t;
  if (!is_streaming || room <= kTileTokens) return std::max<int64_t>(room, 0);
  const double share = std::min(kShareOfPrompt * static_cast<double>(load.prompts), kMostOfPrompts);
  const double rows_ms = decode.t == 0 ? 0 : cost.PredictMs(decode);
  const double most_ms = std::max(limits.step_ms, (1 + share) * rows_ms);
  const auto fits = [&](int64_t tiles) {
    const int64_t tokens = tiles * kTileTokens;
    return cost.PredictMs({.t = tokens,
                           .r = decode.r + 1,
                           .s = decode.s + load.held + tokens - decode.t,
                           .sequences = decode.sequences + 1}) <= most_ms;
  };
  // The largest call that fits, in tiles.
  int64_t low = decode.t / kTileTokens;
  int64_t high = limits.max_tokens / kTileTokens;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return std::clamp(low * kTileTokens - decode.t, kLeastTokens, room);
}

std::vector<PromptPart> DivideBudget(int64_t budget, std::span<const PromptWork> prompts,
                                     TenantShares& shares) {
  std::vector<PromptPart> parts;
  std::vector<size_t> open;
  for (size_t i = 0; i < prompts.size(); ++i) open.push_back(i);
  std::vector<std::string_view> tenants;
  while (budget > 0 && !open.empty()) {
    tenants.clear();
    for (const size_t i : open) tenants.push_back(prompts[i].tenant);
    const std::string_view tenant = tenants[shares.Next(tenants)];
    size_t best = open.size();
    for (size_t k = 0; k < open.size(); ++k) {
      if (prompts[open[k]].tenant != tenant) continue;
      if (best == open.size() || ServedBefore(prompts[open[k]], prompts[open[best]])) best = k;
    }
    const size_t chosen = open[best];
    const auto add = [&](size_t prompt, int64_t tokens) {
      parts.push_back({prompt, tokens});
      shares.Charge(prompts[prompt].tenant, tokens);
      budget -= tokens;
    };
    if (prompts[chosen].remaining <= budget) {
      add(chosen, prompts[chosen].remaining);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(best));
      continue;
    }
    const std::vector<size_t> shorter = MuchShorter(prompts, open, chosen);
    int64_t wanted = 0;
    for (const size_t i : shorter) wanted += prompts[i].remaining;
    add(chosen, budget - std::min(wanted, budget / 2));
    for (const size_t i : shorter) {
      if (budget > 0) add(i, std::min(budget, prompts[i].remaining));
    }
  }
  return parts;
}

}  // namespace infer
