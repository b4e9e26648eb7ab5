// SPDX-License-Identifier: Apache-2.0
//
// Passes over a whole row of logits. Each is a loop that compilers vectorise, because a vocabulary
// of 150,000 tokens leaves three nanoseconds for each logit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace infer {

// What marks a token that must not be chosen.
inline constexpr float kExcludedLogit = -std::numeric_limits<float>::infinity();

struct LogitSummary {
  float largest = kExcludedLogit;
  bool has_bad = false;  // NaN or +inf; `largest` means nothing then
};
LogitSummary Summarize(std::span<const float> logits);

// NaN or +inf.
bool IsBadLogit(float logit);

// The sum of e^(logit - largest), each term with a relative error below WeightError(largest -
// logit) and an absolute one below kTinyWeight. Equal logits give equal terms in every call, so
// that two sums can be subtracted.
double ApproximateWeight(std::span<const float> logits, float largest);
constexpr double WeightError(double below) { return (3 * below + 8) * 0x1.0p-24; }
inline constexpr double kTinyWeight = 0x1.0p-120;

// The sum of PortableExp(logit - largest), added in order of id: what top-p compares with.
double ExactWeight(std::span<const float> logits, float largest);

struct TokenLogit {
  float logit;
  int32_t id;
};

// Writes the tokens above the threshold in order of id and returns how many they are. `out` has
// room for all.
size_t CollectAbove(std::span<const float> logits, float threshold, std::span<TokenLogit> out);

// Sorts by logit, the largest first, equal logits by lower id. `tokens` are in order of id, and
// `scratch` is at least as long. The result lies in one of the two.
std::span<TokenLogit> SortByLogit(std::span<TokenLogit> tokens, std::span<TokenLogit> scratch);

}  // namespace infer
