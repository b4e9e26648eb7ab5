// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/expert_rows.h"

#include <algorithm>

namespace infer::simd {
namespace {

// Reading the weights of a granule costs about as much as multiplying this many rows with them.
constexpr int64_t kWeightRows = 4;

int64_t CostOf(int64_t rows) { return rows == 0 ? 0 : rows + kWeightRows; }

}  // namespace

ExpertRows::ExpertRows(const TensorView& ids, int64_t experts) : ids_(ids), experts_(experts) {
  std::fill_n(starts_.begin(), experts + 2, 0);
  for (int64_t place = 0; place < total(); ++place) ++starts_[BucketOf(place) + 1];
  for (int64_t i = 0; i <= experts; ++i) starts_[i + 1] += starts_[i];
}

int64_t ExpertRows::BucketOf(int64_t place) const {
  const int32_t id = ids_.i32()[place];
  return id < 0 || id >= experts_ ? experts_ : id;
}

int64_t ExpertRows::active() const {
  int64_t count = 0;
  for (int64_t expert = 0; expert < experts_; ++expert) count += rows(expert) > 0 ? 1 : 0;
  return count;
}

void ExpertRows::Sort(int32_t* places) const {
  std::array<int32_t, kMaxExperts + 1> next;
  std::copy_n(starts_.begin(), experts_ + 1, next.begin());
  for (int64_t place = 0; place < total(); ++place) {
    places[next[BucketOf(place)]++] = static_cast<int32_t>(place);
  }
}

int64_t ExpertUnits::count() const { return std::max<int64_t>(1, rows_.active() * granules_); }

ExpertItem ExpertUnits::First(int64_t unit) const {
  int64_t total = 0;
  for (int64_t expert = 0; expert < rows_.experts(); ++expert) {
    total += CostOf(rows_.rows(expert)) * granules_;
  }
  const int64_t units = count();
  const int64_t target = total / units * unit + total % units * unit / units;
  int64_t before = 0;
  for (int64_t expert = 0; expert < rows_.experts(); ++expert) {
    const int64_t cost = CostOf(rows_.rows(expert));
    if (unit < units && before + cost * granules_ > target) {
      return {expert, (target - before + cost - 1) / cost};
    }
    before += cost * granules_;
  }
  return {rows_.experts(), 0};
}

}  // namespace infer::simd
