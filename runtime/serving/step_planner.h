// SPDX-License-Identifier: Apache-2.0
//
// Decides how many tokens of which prompts a call runs beside the rows of those who receive tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph/shape.h"
#include "runtime/serving/step_cost.h"
#include "runtime/serving/tenant_shares.h"

namespace infer {

// A prompt that is not finished.
struct PromptWork {
  std::string_view tenant = {};
  int64_t remaining = 0;  // tokens
  int32_t priority = 0;
  double age_ms = 0;  // since the request was submitted
};

// Whether `a` is served before `b`, within a tenant: by priority, then by the tokens that remain,
// where waiting counts as if there were fewer, so that short prompts go first and none starves.
bool ServedBefore(const PromptWork& a, const PromptWork& b);

struct StepLimits {
  int64_t max_tokens = 0;  // of a call
  double step_ms = 0;      // target time of a call
};

inline constexpr int64_t kTileTokens = 16;  // what kernels compute at once
inline constexpr int64_t kLeastTokens = 8;  // of a prompt in a call

// All prompts that are not finished.
struct PromptLoad {
  int64_t prompts = 0;
  int64_t held = 0;  // cache entries that they have
};

// Returns how many prompt tokens fit a call that already has `decode`: a number that makes the
// whole call a multiple of kTileTokens and lets it take about step_ms, but at least kLeastTokens,
// so that prompts always move: 16 tokens at position 4,000 take 115 ms of two cores and 8 take 73.
// A call may take longer than step_ms where its rows alone do: the more prompts wait, the larger
// their share, since whoever came last would otherwise wait until most others have their answers.
// `is_streaming`: somebody receives tokens; else as many as a call holds.
int64_t PromptBudget(const SymbolValues& decode, bool is_streaming, const PromptLoad& load,
                     const StepLimits& limits, StepCost& cost);

struct PromptPart {
  size_t prompt = 0;  // index
  int64_t tokens = 0;
};

// Divides the budget among prompts, and charges it to their tenants. Where the first in turn does
// not end in this call, half of what is left goes to prompts that are much shorter: 64 tokens that
// came while a prompt of 4,000 was in its ninth second would otherwise wait for all of it.
std::vector<PromptPart> DivideBudget(int64_t budget, std::span<const PromptWork> prompts,
                                     TenantShares& shares);

}  // namespace infer
