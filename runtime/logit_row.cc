// SPDX-License-Identifier: Apache-2.0
#include "runtime/logit_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace infer {
namespace {

constexpr int32_t kOrderOfInf = 0x7f800000;
constexpr int32_t kOrderOfExcluded = std::bit_cast<int32_t>(0x807fffffu);

// Four at a time, in the vectors of GCC and clang.
using Floats = float __attribute__((vector_size(16)));
using Ints = int32_t __attribute__((vector_size(16)));
using Pairs = uint64_t __attribute__((vector_size(16)));
constexpr size_t kLanes = 4;
constexpr size_t kBlock = 4 * kLanes;

bool AnyBetween(const float* block, float low, float high) {
  Ints any = {};
  for (size_t i = 0; i < kBlock; i += kLanes) {
    Floats row;
    std::memcpy(&row, block + i, sizeof(row));
    any |= (row >= low) & (row <= high);
  }
  const Pairs pairs = reinterpret_cast<Pairs>(any);
  return (pairs[0] | pairs[1]) != 0;
}

bool Before(const TokenLogit& a, const TokenLogit& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

// Below this a comparison sort is faster than counting digits.
constexpr size_t kFewTokens = 400;
constexpr int kDigits = 3;
constexpr int kDigitBits = 11;
constexpr uint32_t kDigitValues = 1u << kDigitBits;

// Ascends as the logit descends. -0 and 0 are equal logits.
uint32_t SortKey(float logit) {
  return ~static_cast<uint32_t>(LogitOrder(logit + 0.0f)) ^ 0x80000000u;
}

uint32_t DigitOf(uint32_t key, int digit) { return (key >> (digit * kDigitBits)) % kDigitValues; }

}  // namespace

int32_t LogitOrder(float logit) {
  const int32_t bits = std::bit_cast<int32_t>(logit);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

float LogitOfOrder(int32_t order) {
  return std::bit_cast<float>(order ^ ((order >> 31) & 0x7fffffff));
}

bool IsBadLogit(float logit) {
  return LogitOrder(logit) >= kOrderOfInf || LogitOrder(logit) < kOrderOfExcluded;
}

// On the bits alone. As signed numbers all of a positive sign are above all others and in order;
// as unsigned ones those of a negative sign are above, and the further below zero, the higher.
LogitSummary Summarize(std::span<const float> logits) {
  constexpr uint32_t kExcludedBits = 0xff800000u;
  int32_t most_positive = std::bit_cast<int32_t>(kExcludedBits);
  uint32_t most_negative = 0;
  uint32_t least_negative = kExcludedBits;  // the largest if none is positive
  for (const float logit : logits) {
    const uint32_t bits = std::bit_cast<uint32_t>(logit);
    most_positive = std::max(most_positive, static_cast<int32_t>(bits));
    most_negative = std::max(most_negative, bits);
    least_negative = std::min(least_negative, bits);
  }
  const uint32_t largest =
      most_positive >= 0 ? static_cast<uint32_t>(most_positive) : least_negative;
  return {std::bit_cast<float>(largest),
          most_positive >= kOrderOfInf || most_negative > kExcludedBits};
}

size_t CollectBetween(std::span<const float> logits, float low, float high,
                      std::span<TokenLogit> out) {
  size_t count = 0;
  // Written whether it is kept or not, and counted if it is: no branch to mispredict.
  const auto collect = [&](size_t id) {
    out[count] = {logits[id], static_cast<int32_t>(id)};
    count += static_cast<size_t>(logits[id] >= low) & static_cast<size_t>(logits[id] <= high);
  };
  size_t begin = 0;
  for (; begin + kBlock <= logits.size(); begin += kBlock) {
    if (!AnyBetween(logits.data() + begin, low, high)) continue;
    for (size_t i = 0; i < kBlock; ++i) collect(begin + i);
  }
  for (; begin < logits.size(); ++begin) collect(begin);
  return count;
}

std::span<TokenLogit> SortByLogit(std::span<TokenLogit> tokens, std::span<TokenLogit> scratch) {
  // Many equal logits, which are in order, are what makes a long list likely.
  if (std::is_sorted(tokens.begin(), tokens.end(), Before)) return tokens;
  if (tokens.size() < kFewTokens) {
    std::sort(tokens.begin(), tokens.end(), Before);
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
