// SPDX-License-Identifier: Apache-2.0
#include "runtime/weight_histogram.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "runtime/logit_row.h"
#include "runtime/portable_exp.h"

namespace infer {
namespace {

// A number of octaves is added to 64: the sum of both is from 64 to 127, where the last bit of a
// float is worth 2^-17, so that its bits are those of 64 plus the distance.
constexpr float kOrigin = 64.0f;
constexpr float kMostOctaves = 63.0f;
constexpr uint32_t kOriginBits = std::bit_cast<uint32_t>(kOrigin);
constexpr uint32_t kMostOctavesBits = std::bit_cast<uint32_t>(kMostOctaves);
constexpr int kOffsetBits = 10;
static_assert(kBucketDistances == 1u << kOffsetBits);
static_assert(kBucketsPerOctave * kBucketDistances == 1u << 17);

// A bucket in one number: the offsets in the lower bits, the count above. A bit of kOriginBits
// counts, so one operation on the bits of a sum gives what is to be added.
constexpr int kCountBit = 30;
constexpr uint64_t kOffsetMask = kBucketDistances - 1;
constexpr uint64_t kAddMask = (uint64_t{1} << kCountBit) | kOffsetMask;
static_assert((kOriginBits >> kCountBit) == 1);
constexpr uint64_t kBucketMask = (1u << 13) - 1;
static_assert(kBuckets <= kBucketMask);
// More offsets than these could reach the count.
constexpr size_t kMostAtOnce = size_t{1} << (kCountBit - kOffsetBits);
// Counted one by one in less time than it takes to look through all buckets.
constexpr size_t kFew = 512;

// Four at a time, in the vectors of GCC and clang.
using Floats = float __attribute__((vector_size(16)));
using Ints = int32_t __attribute__((vector_size(16)));
using Bits = uint32_t __attribute__((vector_size(16)));
using Pairs = uint64_t __attribute__((vector_size(16)));
constexpr size_t kLanes = 4;
constexpr size_t kStep = 2 * kLanes;  // handed on to the scalar part at a time
constexpr size_t kBlock = 2 * kStep;  // left out at a time

struct Scale {
  float largest;
  float octaves_per_logit;
  float threshold;
};

Floats Load(const float* logits) {
  Floats row;
  std::memcpy(&row, logits, sizeof(row));
  return row;
}

// Compared as integers, which for numbers that are not negative is the same, and a NaN (nothing
// times infinitely far) counts as far.
template <bool kAll>
Bits SumBits(const float* logits, const Scale& scale) {
  const Floats row = Load(logits);
  const Floats octaves = (scale.largest - row) * scale.octaves_per_logit;
  Bits bits = reinterpret_cast<Bits>(octaves);
  if constexpr (!kAll) bits |= reinterpret_cast<Bits>(row < scale.threshold);
  const Bits most = Bits{} + kMostOctavesBits;
  bits = bits < most ? bits : most;
  return reinterpret_cast<Bits>(reinterpret_cast<Floats>(bits) + kOrigin);
}

bool AnyOfBlock(const float* logits, float threshold) {
  Ints any = {};
  for (size_t i = 0; i < kBlock; i += kLanes) any |= Load(logits + i) >= threshold;
  const Pairs pairs = reinterpret_cast<Pairs>(any);
  return (pairs[0] | pairs[1]) != 0;
}

// Two tokens, whose bits stand in one number.
inline void AddPair(uint64_t pair, uint64_t* even, uint64_t* odd) {
  even[(pair >> kOffsetBits) & kBucketMask] += pair & kAddMask;
  odd[(pair >> (32 + kOffsetBits)) & kBucketMask] += (pair >> 32) & kAddMask;
}

template <bool kAll>
inline void AddStep(const float* logits, const Scale& scale, uint64_t* even, uint64_t* odd) {
  const Pairs low = reinterpret_cast<Pairs>(SumBits<kAll>(logits, scale));
  const Pairs high = reinterpret_cast<Pairs>(SumBits<kAll>(logits + kLanes, scale));
  AddPair(low[0], even, odd);
  AddPair(low[1], even, odd);
  AddPair(high[0], even, odd);
  AddPair(high[1], even, odd);
}

// Whole blocks.
template <bool kAll>
void AddBlocks(std::span<const float> logits, const Scale& scale, uint64_t* even, uint64_t* odd) {
  for (size_t begin = 0; begin < logits.size(); begin += kBlock) {
    const float* block = logits.data() + begin;
    if (!kAll && !AnyOfBlock(block, scale.threshold)) continue;
    AddStep<kAll>(block, scale, even, odd);
    AddStep<kAll>(block + kStep, scale, even, odd);
  }
}

// A multiple of a block from which on both are zero. Most rows leave most buckets empty.
uint32_t EndOfUsed(const uint64_t* even, const uint64_t* odd) {
  constexpr uint32_t kAtOnce = 64;
  static_assert(kBuckets % kAtOnce == 0);
  for (uint32_t end = kBuckets; end > 0; end -= kAtOnce) {
    uint64_t any = 0;
    for (uint32_t i = end - kAtOnce; i < end; ++i) any |= even[i] | odd[i];
    if (any != 0) return end;
  }
  return 0;
}

}  // namespace

float OctavesPerLogit(double temperature) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  return static_cast<float>(
      std::min<double>(kLog2E / temperature, std::numeric_limits<float>::max()));
}

uint32_t DistanceBelow(float largest, float logit, float octaves_per_logit) {
  const float octaves = (largest - logit) * octaves_per_logit;
  const uint32_t bits = std::min(std::bit_cast<uint32_t>(octaves), kMostOctavesBits);
  return std::bit_cast<uint32_t>(std::bit_cast<float>(bits) + kOrigin) - kOriginBits;
}

WeightCurve::WeightCurve(double halvings) : starts_(kBuckets + 1), slopes_(kBuckets + 1) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  const double bucket = halvings * (kLn2 / kBucketsPerOctave);
  for (uint32_t i = 0; i <= kBuckets; ++i) starts_[i] = -bucket * i;
  PortableExpInPlace(starts_);
  for (uint32_t i = 0; i < kBuckets; ++i) {
    slopes_[i] = (starts_[i] - starts_[i + 1]) / kBucketDistances;
  }
  starts_[kBuckets] = 0;
}

double WeightCurve::Sum(uint32_t bucket, const BucketTokens& tokens) const {
  return static_cast<double>(tokens.count) * starts_[bucket] -
         static_cast<double>(tokens.offsets) * slopes_[bucket];
}

double WeightCurve::Of(uint32_t distance) const {
  return Sum(distance / kBucketDistances, {1, distance % kBucketDistances});
}

WeightHistogram::WeightHistogram() : buckets_(kBuckets) {
  for (std::vector<uint64_t>& packed : packed_) packed.resize(kBuckets + 1);
}

void WeightHistogram::Clear() {
  std::fill_n(buckets_.begin(), end_, BucketTokens());
  end_ = 0;
}

void WeightHistogram::Add(std::span<const float> logits, float largest, float octaves_per_logit,
                          float threshold) {
  const Scale scale = {largest, octaves_per_logit, threshold};
  while (logits.size() >= kFew) {
    const size_t count = std::min(logits.size(), kMostAtOnce) / kBlock * kBlock;
    const auto add = threshold == kExcludedLogit ? AddBlocks<true> : AddBlocks<false>;
    add(logits.first(count), scale, packed_[0].data(), packed_[1].data());
    Fold();
    logits = logits.subspan(count);
  }
  for (const float logit : logits) {
    if (logit >= threshold) AddOne(DistanceBelow(largest, logit, octaves_per_logit));
  }
}

void WeightHistogram::AddOne(uint32_t distance) {
  const uint32_t bucket = distance / kBucketDistances;
  if (bucket == kBuckets) return;
  buckets_[bucket].Add(distance);
  end_ = std::max(end_, bucket + 1);
}

// Adds what the blocks left in the packed buckets. What weighs nothing is dropped.
void WeightHistogram::Fold() {
  packed_[0][kBuckets] = 0;
  packed_[1][kBuckets] = 0;
  const uint32_t end = EndOfUsed(packed_[0].data(), packed_[1].data());
  for (uint32_t i = 0; i < end; ++i) {
    const uint64_t sum = packed_[0][i] + packed_[1][i];
    buckets_[i].count += sum >> kCountBit;
    buckets_[i].offsets += sum & ((uint64_t{1} << kCountBit) - 1);
    packed_[0][i] = 0;
    packed_[1][i] = 0;
  }
  end_ = std::max(end_, end);
}

void WeightHistogram::Truncate(uint32_t bucket, const BucketTokens& last) {
  const uint32_t end = bucket + 1;
  if (end < end_) std::fill(buckets_.begin() + end, buckets_.begin() + end_, BucketTokens());
  buckets_[bucket] = last;
  end_ = end;
}

}  // namespace infer
