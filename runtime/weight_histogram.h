// SPDX-License-Identifier: Apache-2.0
//
// The weights e^-x of a whole row of logits, added up without an exponential for each of them.
//
// How far a logit lies below the largest is counted in octaves (halvings of the weight), in steps
// of 2^-17 of one: its distance. 1024 distances are a bucket. Within a bucket the weight is taken
// from the straight line between its two ends, which is too much by at most 4 in a million. What
// the tokens of a bucket weigh together then follows from how many they are and from the sum of
// their offsets into it: two integers, the same in whatever order they are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infer {

inline constexpr uint32_t kBucketsPerOctave = 128;
inline constexpr uint32_t kBucketDistances = 1024;
// A token that is further below the largest has the distance kBuckets * kBucketDistances and weighs
// nothing.
inline constexpr uint32_t kBuckets = 63 * kBucketsPerOctave;

// log2(e) / temperature, at most the largest float.
float OctavesPerLogit(double temperature);

// Never less for a lower logit.
uint32_t DistanceBelow(float largest, float logit, float octaves_per_logit);

// Tokens of one bucket, added up.
struct BucketTokens {
  uint64_t count = 0;
  uint64_t offsets = 0;

  void Add(uint32_t distance) {
    ++count;
    offsets += distance % kBucketDistances;
  }
};

// What a bucket of each distance weighs.
class WeightCurve {
 public:
  // The weight falls by half every 1 / `halvings` octaves of distance; `halvings` is at most 1.
  // Thus a row that was counted once has weights for two temperatures.
  explicit WeightCurve(double halvings);

  double Sum(uint32_t bucket, const BucketTokens& tokens) const;
  double Of(uint32_t distance) const;

 private:
  std::vector<double> starts_;  // weight at the first distance of each bucket
  std::vector<double> slopes_;  // what it loses with each further one
};

// How many tokens of a row are in each bucket. Takes its memory when made.
class WeightHistogram {
 public:
  WeightHistogram();

  void Clear();
  // Counts the logits that are not below the threshold.
  void Add(std::span<const float> logits, float largest, float octaves_per_logit, float threshold);
  const BucketTokens& At(uint32_t bucket) const { return buckets_[bucket]; }
  // From here on all buckets are empty.
  uint32_t end() const { return end_; }
  // `last` is what stays of the bucket, and nothing of those that weigh less.
  void Truncate(uint32_t bucket, const BucketTokens& last);

 private:
  void AddOne(uint32_t distance);
  void Fold();

  std::vector<BucketTokens> buckets_;
  uint32_t end_ = 0;
  // Two, filled in turn: adding to a number waits until the last addition to it is in memory, and
  // many rows have the same bucket again and again.
  std::vector<uint64_t> packed_[2];
};

}  // namespace infer
