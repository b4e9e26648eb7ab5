// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/step_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace infer {
namespace {

// The last ten calls or so decide how fast the machine is, and the last 32 of a size how that
// size differs.
constexpr double kNewestSpeed = 0.1;
constexpr double kNewestOfSize = 0.03;
// A call that another program delayed counts no more than this many times the prediction.
constexpr double kMostDelay = 3;
// Cache entries are rounded to these: what attention costs within them is a small part of a call.
constexpr int64_t kFewEntries = 512;

size_t SizeOf(int64_t tokens) {
  return static_cast<size_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(tokens, 1))));
}

int64_t RoundUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

int64_t RoundTokens(int64_t tokens) {
  if (tokens <= 8) return tokens;
  return RoundUp(tokens, tokens <= 64 ? 4 : tokens <= 256 ? 16 : 64);
}

int64_t RoundToPowerOfTwo(int64_t value) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
}

}  // namespace

StepCost::StepCost(std::function<double(const SymbolValues&)> estimate_ms)
    : estimate_ms_(std::move(estimate_ms)) {}

double StepCost::Estimate(const SymbolValues& call) {
  // The shape of a call's cost on any machine: weights are read once, and each token is computed.
  const double shape = 10 + static_cast<double>(call.t);
  if (!estimate_ms_) return shape;
  SymbolValues rounded = {.t = RoundTokens(call.t),
                          .r = RoundToPowerOfTwo(call.r),
                          .s = RoundToPowerOfTwo(std::max(call.s, kFewEntries)),
                          .sequences = RoundToPowerOfTwo(call.sequences)};
  rounded.t = std::max(rounded.t, call.t);
  rounded.r = std::min(rounded.r, rounded.t);
  const auto key = std::tuple(rounded.t, rounded.r, rounded.s, rounded.sequences);
  const auto known = estimates_.find(key);
  if (known != estimates_.end()) return known->second;
  double ms = estimate_ms_(rounded);
  if (!(ms > 0) || !std::isfinite(ms)) ms = shape;
  estimates_.emplace(key, ms);
  return ms;
}

// Of calls of this size, or of the nearest size that was measured.
double StepCost::FactorFor(int64_t tokens) const {
  const size_t at = std::min(SizeOf(tokens), kSizes - 1);
  for (size_t away = 0; away < kSizes; ++away) {
    if (at >= away && factors_[at - away] > 0) return factors_[at - away];
    if (at + away < kSizes && factors_[at + away] > 0) return factors_[at + away];
  }
  return 1;
}

double StepCost::PredictMs(const SymbolValues& call) {
  return Estimate(call) * FactorFor(call.t) * slowdown_;
}

void StepCost::Took(const SymbolValues& call, double ms) {
  const double measured = ms / Estimate(call) / slowdown_;
  double& factor = factors_[std::min(SizeOf(call.t), kSizes - 1)];
  if (factor == 0) {
    factor = measured;
    return;
  }
  const double bounded = std::min(measured, kMostDelay * factor);
  slowdown_ *= 1 + kNewestSpeed * (bounded / factor - 1);
  factor += kNewestOfSize * (bounded - factor);
}

}  // namespace infer
