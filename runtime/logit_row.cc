// SPDX-License-Identifier: Apache-2.0
#include "runtime/logit_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/portable_exp.h"

namespace infer {
namespace {

// An integer that orders as the logit does: NaNs with a sign, -inf, numbers, +inf, NaNs.
int32_t OrderOf(float logit) {
  const int32_t bits = std::bit_cast<int32_t>(logit);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
constexpr int32_t kOrderOfInf = 0x7f800000;
constexpr int32_t kOrderOfExcluded = std::bit_cast<int32_t>(0x807fffffu);

float LogitOf(int32_t order) { return std::bit_cast<float>(order ^ ((order >> 31) & 0x7fffffff)); }

// Four at a time, in the vectors of GCC and clang.
using Floats = float __attribute__((vector_size(16)));
using Ints = int32_t __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(16)));
constexpr size_t kLanes = 4;

// e^(logit - largest). Errors, in units of 2^-24 of the result: the difference and its multiple are
// rounded, which makes 2.3 for each unit that the logit is below the largest; the polynomial is the
// Taylor series of 2^f for |f| <= 1/2, wrong by (ln 2 / 2)^7 / 7! or 2, and its operations are
// rounded, which makes 3. What is below e^-87 counts as that.
inline Floats ApproximateExp(const float* logits, float largest) {
  Floats below;
  std::memcpy(&below, logits, sizeof(below));
  below -= largest;
  below = below > -87.0f ? below : Floats{} - 87.0f;
  const Floats exponent = below * 0x1.715476p+0f;  // to base 2
  // Added to a number of this size, the exponent is rounded to an integer that stands in the last
  // bits.
  constexpr float kIntegers = 0x1.8p+23f;
  const Floats shifted = exponent + kIntegers;
  const Floats f = exponent - (shifted - kIntegers);
  Floats sum = Floats{} + 0x1.430912p-13f;
  sum = sum * f + 0x1.5d87fep-10f;
  sum = sum * f + 0x1.3b2ab6p-7f;
  sum = sum * f + 0x1.c6b08ep-5f;
  sum = sum * f + 0x1.ebfbe0p-3f;
  sum = sum * f + 0x1.62e430p-1f;
  sum = sum * f + 1.0f;
  return reinterpret_cast<Floats>(reinterpret_cast<Ints>(sum) +
                                  (reinterpret_cast<Ints>(shifted) << 23));
}

// Below this a comparison sort is faster than counting digits.
constexpr size_t kFewTokens = 400;
constexpr int kDigits = 3;
constexpr int kDigitBits = 11;
constexpr uint32_t kDigitValues = 1u << kDigitBits;

// Ascends as the logit descends. -0 and 0 are equal logits.
uint32_t SortKey(float logit) {
  return ~static_cast<uint32_t>(OrderOf(logit + 0.0f)) ^ 0x80000000u;
}

uint32_t DigitOf(uint32_t key, int digit) { return (key >> (digit * kDigitBits)) % kDigitValues; }

}  // namespace

bool IsBadLogit(float logit) {
  return OrderOf(logit) >= kOrderOfInf || OrderOf(logit) < kOrderOfExcluded;
}

LogitSummary Summarize(std::span<const float> logits) {
  int32_t largest = kOrderOfExcluded;
  int32_t smallest = kOrderOfExcluded;
  for (const float logit : logits) {
    const int32_t order = OrderOf(logit);
    largest = std::max(largest, order);
    smallest = std::min(smallest, order);
  }
  return {LogitOf(largest), largest >= kOrderOfInf || smallest < kOrderOfExcluded};
}

double ApproximateWeight(std::span<const float> logits, float largest) {
  // Sums in doubles, exact enough that the terms alone make the error. Several, so that none waits
  // for itself.
  constexpr size_t kStep = 4 * kLanes;
  Doubles sums[kStep / 2] = {};
  const auto add = [&](const float* step) {
    for (size_t i = 0; i < kStep / kLanes; ++i) {
      const Floats terms = ApproximateExp(step + i * kLanes, largest);
      sums[2 * i] += __builtin_convertvector(__builtin_shufflevector(terms, terms, 0, 1), Doubles);
      sums[2 * i + 1] +=
          __builtin_convertvector(__builtin_shufflevector(terms, terms, 2, 3), Doubles);
    }
  };
  size_t done = 0;
  for (; done + kStep <= logits.size(); done += kStep) add(logits.data() + done);
  // The last few by the same operations, so that they are rounded as anywhere else.
  float last[kStep];
  std::fill(std::copy(logits.begin() + done, logits.end(), last), last + kStep, kExcludedLogit);
  add(last);
  Doubles total = {};
  for (const Doubles& sum : sums) total += sum;
  return total[0] + total[1];
}

double ExactWeight(std::span<const float> logits, float largest) {
  std::array<double, 256> weights;
  double total = 0;
  for (size_t begin = 0; begin < logits.size(); begin += weights.size()) {
    const size_t count = std::min(weights.size(), logits.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      weights[i] = static_cast<double>(logits[begin + i]) - static_cast<double>(largest);
    }
    PortableExpInPlace({weights.data(), count});
    for (size_t i = 0; i < count; ++i) total += weights[i];
  }
  return total;
}

size_t CollectAbove(std::span<const float> logits, float threshold, std::span<TokenLogit> out) {
  size_t count = 0;
  // Written whether it is kept or not, and counted if it is: no branch to mispredict.
  const auto collect = [&](size_t id) {
    out[count] = {logits[id], static_cast<int32_t>(id)};
    count += logits[id] > threshold ? 1 : 0;
  };
  constexpr size_t kBlock = 16;
  size_t begin = 0;
  for (; begin + kBlock <= logits.size(); begin += kBlock) {
    int32_t any = 0;
    for (size_t i = 0; i < kBlock; ++i) any |= logits[begin + i] > threshold ? -1 : 0;
    if (any == 0) continue;
    for (size_t i = 0; i < kBlock; ++i) collect(begin + i);
  }
  for (; begin < logits.size(); ++begin) collect(begin);
  return count;
}

std::span<TokenLogit> SortByLogit(std::span<TokenLogit> tokens, std::span<TokenLogit> scratch) {
  if (tokens.size() < kFewTokens) {
    std::sort(tokens.begin(), tokens.end(), [](const TokenLogit& a, const TokenLogit& b) {
      return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
    });
    return tokens;
  }
  scratch = scratch.first(tokens.size());
  // By digits from the lowest: each pass keeps the order of equals, and so do all.
  std::array<std::array<uint32_t, kDigitValues>, kDigits> starts = {};
  for (const TokenLogit& token : tokens) {
    const uint32_t key = SortKey(token.logit);
    for (int digit = 0; digit < kDigits; ++digit) ++starts[digit][DigitOf(key, digit)];
  }
  for (int digit = 0; digit < kDigits; ++digit) {
    uint32_t before = 0;
    for (uint32_t& start : starts[digit]) before += std::exchange(start, before);
    for (const TokenLogit& token : tokens) {
      scratch[starts[digit][DigitOf(SortKey(token.logit), digit)]++] = token;
    }
    std::swap(tokens, scratch);
  }
  return tokens;
}

}  // namespace infer
