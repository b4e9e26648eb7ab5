// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/waiting_line.h"

#include <string_view>

#include "runtime/serving/step_planner.h"

namespace infer {
namespace {

PromptWork WorkOf(const WaitingStream& waiting, ServingClock::time_point now) {
  return {.remaining = waiting.stream->remaining(),
          .priority = waiting.request->request().priority,
          .age_ms = MsBetween(waiting.request->submitted(), now)};
}

bool IsBefore(const WaitingStream& a, const WaitingStream& b, ServingClock::time_point now) {
  if (a.was_preempted != b.was_preempted) return a.was_preempted;
  return ServedBefore(WorkOf(a, now), WorkOf(b, now));
}

}  // namespace

void WaitingLine::Remove(const TextStream* stream) {
  std::erase_if(waiting_, [&](const WaitingStream& waiting) { return waiting.stream == stream; });
}

WaitingStream* WaitingLine::Next(ServingClock::time_point now, TenantShares& shares) {
  std::vector<std::string_view> tenants;
  for (const WaitingStream& waiting : waiting_) {
    const std::string_view tenant = waiting.request->request().tenant;
    // Neighbours in the line often have the same tenant.
    if (waiting.passed_over_in == round_ || waiting.request->paused) continue;
    if (tenants.empty() || tenants.back() != tenant) tenants.push_back(tenant);
  }
  if (tenants.empty()) return nullptr;
  const std::string_view tenant = tenants[shares.Next(tenants)];
  WaitingStream* best = nullptr;
  for (WaitingStream& waiting : waiting_) {
    if (waiting.passed_over_in == round_ || waiting.request->paused) continue;
    if (waiting.request->request().tenant != tenant) continue;
    if (best == nullptr || IsBefore(waiting, *best, now)) best = &waiting;
  }
  return best;
}

}  // namespace infer
