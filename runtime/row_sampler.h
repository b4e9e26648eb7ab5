// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/logit_row.h"
#include "runtime/weight_histogram.h"

namespace infer {

struct SampledToken {
  int32_t id = 0;
  double probability = 0.0;  // with which it was drawn: after all filters; 1 if greedy
};

// The filters of SamplerOptions that look at a whole row.
struct RowFilters {
  double temperature = 1.0;  // above 0
  double top_p = 1.0;
  double min_p = 0.0;
};

// How weights are counted for given filters. Part of what a seed means: other scales give other
// last digits.
struct RowScales {
  float filter_octaves = 0;    // OctavesPerLogit for top-p and min-p
  double filter_halvings = 1;  // what WeightCurve is made of
  float draw_octaves = 0;      // the same for the draw
  double draw_halvings = 1;
};
RowScales ScalesFor(const RowFilters& filters);

// The last token that is kept, in order of falling logits and, where they are equal, of ids.
struct Cut {
  float logit = kExcludedLogit;
  int32_t id = std::numeric_limits<int32_t>::max();

  bool Keeps(const TokenLogit& token) const {
    return token.logit > logit || (token.logit == logit && token.id <= id);
  }
};

// Top-p, min-p, temperature and draw over a whole vocabulary. A row is counted by weight and not
// sorted; only the tokens of the bucket in which a sum is reached are looked at one by one.
//
// Sums of weights go from the likeliest bucket to the least likely, and what is not finished of a
// bucket is one term (WeightCurve::Sum).
class RowSampler {
 public:
  RowSampler(const RowFilters& filters, size_t vocabulary_tokens);

  // `largest` is that of the row and finite. `unit`, from 0 to below 1, says which token is drawn.
  SampledToken Sample(std::span<const float> logits, float largest, double unit);

 private:
  struct Row {
    std::span<const float> logits;
    float largest;
    float octaves_per_logit;
  };
  // Where a sum is reached: the token, and what its bucket holds up to it.
  struct Place {
    TokenLogit token;
    uint32_t bucket;
    BucketTokens up_to;
  };

  Cut MinPCut(float largest) const;
  void Count(const Row& row, const Cut& cut);
  double Total(const WeightCurve& curve) const;
  Place FindSum(const Row& row, const WeightCurve& curve, const Cut& cut, double wanted);
  std::span<const TokenLogit> TokensOf(const Row& row, const Cut& cut, uint32_t bucket);

  RowFilters filters_;
  RowScales scales_;
  WeightCurve filter_curve_;
  WeightCurve draw_curve_;
  WeightHistogram histogram_;
  std::vector<TokenLogit> tokens_;  // of one bucket
  std::vector<TokenLogit> scratch_;
};

}  // namespace infer
