// SPDX-License-Identifier: Apache-2.0
//
// Passes over a whole row of logits. Each is a loop of vector operations, because a vocabulary of
// 150,000 tokens leaves three nanoseconds for each logit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace infer {

// What marks a token that must not be chosen.
inline constexpr float kExcludedLogit = -std::numeric_limits<float>::infinity();

// An integer that orders as the logit does: NaNs with a sign, -inf, numbers, +inf, NaNs.
int32_t LogitOrder(float logit);
float LogitOfOrder(int32_t order);

struct LogitSummary {
  float largest = kExcludedLogit;
  bool has_bad = false;  // NaN or +inf; `largest` means nothing then
};
LogitSummary Summarize(std::span<const float> logits);

// NaN or +inf.
bool IsBadLogit(float logit);

struct TokenLogit {
  float logit;
  int32_t id;
};

// Writes the tokens from `low` to `high` in order of id and returns how many they are. `out` has
// room for all.
size_t CollectBetween(std::span<const float> logits, float low, float high,
                      std::span<TokenLogit> out);

// Sorts by logit, the largest first, equal logits by lower id. `tokens` are in order of id, and
// `scratch` is at least as long. The result lies in one of the two.
std::span<TokenLogit> SortByLogit(std::span<TokenLogit> tokens, std::span<TokenLogit> scratch);

}  // namespace infer
