// SPDX-License-Identifier: Apache-2.0
#include "runtime/row_sampler.h"

#include <algorithm>
#include <cmath>

namespace infer {
namespace {

// Below this temperature a scale on which the draw is fine enough ends before the filters stop
// counting, and the row is counted once for each.
constexpr double kLowestShared = 0.5;

// The lowest logit for which `reached` is true. It is for the largest and for all from there on.
template <class Reached>
float LowestLogit(float largest, const Reached& reached) {
  int64_t below = LogitOrder(kExcludedLogit);
  int64_t lowest = LogitOrder(largest);
  while (lowest - below > 1) {
    const int64_t middle = below + (lowest - below) / 2;
    (reached(LogitOfOrder(static_cast<int32_t>(middle))) ? lowest : below) = middle;
  }
  return LogitOfOrder(static_cast<int32_t>(lowest));
}

}  // namespace

RowScales ScalesFor(const RowFilters& filters) {
  const float own = OctavesPerLogit(filters.temperature);
  const float one = OctavesPerLogit(1.0);
  if (filters.top_p == 1 && filters.min_p == 0) return {own, 1, own, 1};
  if (filters.temperature < kLowestShared) return {one, 1, own, 1};
  if (filters.temperature <= 1) return {own, filters.temperature, own, 1};
  return {one, 1, one, 1 / filters.temperature};
}

RowSampler::RowSampler(const RowFilters& filters, size_t vocabulary_tokens)
    : filters_(filters),
      scales_(ScalesFor(filters)),
      filter_curve_(scales_.filter_halvings),
      draw_curve_(scales_.draw_halvings),
      tokens_(vocabulary_tokens),
      scratch_(vocabulary_tokens) {}

SampledToken RowSampler::Sample(std::span<const float> logits, float largest, double unit) {
  Cut cut;
  bool counted = false;
  if (filters_.top_p < 1) {
    const Row row = {logits, largest, scales_.filter_octaves};
    Count(row, cut);
    const double wanted = filters_.top_p * Total(filter_curve_);
    const Place last = FindSum(row, filter_curve_, cut, wanted);
    cut = {last.token.logit, last.token.id};
    histogram_.Truncate(last.bucket, last.up_to);
    counted = scales_.filter_octaves == scales_.draw_octaves;
  }
  if (filters_.min_p > 0) {
    const Cut min_p = MinPCut(largest);
    if (min_p.logit > cut.logit) {
      cut = min_p;
      counted = false;
    }
  }
  const Row row = {logits, largest, scales_.draw_octaves};
  if (!counted) Count(row, cut);
  const double total = Total(draw_curve_);
  const double point = unit * total;
  const double beyond = std::nextafter(point, std::numeric_limits<double>::infinity());
  const TokenLogit drawn = FindSum(row, draw_curve_, cut, beyond).token;
  const uint32_t distance = DistanceBelow(largest, drawn.logit, row.octaves_per_logit);
  return {drawn.id, draw_curve_.Of(distance) / total};
}

// Keeps what weighs at least min_p times the largest, which weighs 1.
Cut RowSampler::MinPCut(float largest) const {
  Cut cut;
  cut.logit = LowestLogit(largest, [&](float logit) {
    return filter_curve_.Of(DistanceBelow(largest, logit, scales_.filter_octaves)) >=
           filters_.min_p;
  });
  return cut;
}

void RowSampler::Count(const Row& row, const Cut& cut) {
  histogram_.Clear();
  // Of the logits that are equal to the cut's, those up to its id are kept.
  const size_t equals_end = std::min(row.logits.size(), static_cast<size_t>(cut.id) + 1);
  histogram_.Add(row.logits.first(equals_end), row.largest, row.octaves_per_logit, cut.logit);
  histogram_.Add(row.logits.subspan(equals_end), row.largest, row.octaves_per_logit,
                 std::nextafter(cut.logit, std::numeric_limits<float>::infinity()));
}

double RowSampler::Total(const WeightCurve& curve) const {
  double total = 0;
  for (uint32_t bucket = 0; bucket < histogram_.end(); ++bucket) {
    if (histogram_.At(bucket).count == 0) continue;
    total += curve.Sum(bucket, histogram_.At(bucket));
  }
  return total;
}

// The first token, in the order of Cut, with which the sum is `wanted` or more; the last that
// weighs anything if rounding keeps the sum below it.
RowSampler::Place RowSampler::FindSum(const Row& row, const WeightCurve& curve, const Cut& cut,
                                      double wanted) {
  Place place = {};
  double before = 0;  // the bucket of `place`
  double sum = 0;
  for (uint32_t bucket = 0; bucket < histogram_.end() && sum < wanted; ++bucket) {
    if (histogram_.At(bucket).count == 0) continue;
    place.bucket = bucket;
    before = sum;
    sum += curve.Sum(bucket, histogram_.At(bucket));
  }
  for (const TokenLogit& token : TokensOf(row, cut, place.bucket)) {
    place.token = token;
    place.up_to.Add(DistanceBelow(row.largest, token.logit, row.octaves_per_logit));
    if (before + curve.Sum(place.bucket, place.up_to) >= wanted) break;
  }
  return place;
}

// Those of a bucket that the cut keeps, in its order.
std::span<const TokenLogit> RowSampler::TokensOf(const Row& row, const Cut& cut, uint32_t bucket) {
  const auto lowest_from = [&](uint32_t last_bucket) {
    return LowestLogit(row.largest, [&](float logit) {
      return DistanceBelow(row.largest, logit, row.octaves_per_logit) / kBucketDistances <=
             last_bucket;
    });
  };
  const float low = std::max(lowest_from(bucket), cut.logit);
  const float high =
      bucket == 0 ? row.largest : std::nextafter(lowest_from(bucket - 1), kExcludedLogit);
  const size_t count = CollectBetween(row.logits, low, high, tokens_);
  const std::span<TokenLogit> tokens = std::span(tokens_).first(count);
  const auto kept_end = std::remove_if(tokens.begin(), tokens.end(),
                                       [&](const TokenLogit& token) { return !cut.Keeps(token); });
  return SortByLogit(tokens.first(kept_end - tokens.begin()), scratch_);
}

}  // namespace infer
