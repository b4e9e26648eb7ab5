// SPDX-License-Identifier: Apache-2.0
//
// The rows of a call sorted by expert, and how the products of all experts are divided into units.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/kernel.h"

namespace infer::simd {

// More would not fit the counters, which are on the stack.
inline constexpr int64_t kMaxExperts = 1024;

// How many rows each expert has. A place is a row of the result: that of expert number u of token t
// is t * used + u. Cheap enough to be made again by every thread in every phase: 4096 places take a
// few microseconds, products with them milliseconds.
class ExpertRows {
 public:
  ExpertRows(const TensorView& ids, int64_t experts);

  int64_t experts() const { return experts_; }
  int64_t rows(int64_t expert) const { return starts_[expert + 1] - starts_[expert]; }
  // The number of rows of the experts before this one. Those of ids that are no expert come last.
  int64_t first(int64_t expert) const { return starts_[expert]; }
  int64_t total() const { return ids_.elements(); }
  int64_t active() const;  // experts that have rows

  // Writes all places in the order of experts, ascending for each.
  void Sort(int32_t* places) const;

 private:
  int64_t BucketOf(int64_t place) const;

  const TensorView& ids_;
  int64_t experts_;
  std::array<int32_t, kMaxExperts + 2> starts_;
};

// A number of columns of an expert's result, counted in granules.
struct ExpertItem {
  int64_t expert = 0;
  int64_t granule = 0;
};

// Divides the granules of all experts that have rows into units of equal cost, so that threads that
// take equal numbers of units finish together however unevenly rows are distributed.
class ExpertUnits {
 public:
  ExpertUnits(const ExpertRows& rows, int64_t granules) : rows_(rows), granules_(granules) {}

  // One even if there are no rows.
  int64_t count() const;
  // The first item of a unit, or the end of the last one's.
  ExpertItem First(int64_t unit) const;

 private:
  const ExpertRows& rows_;
  int64_t granules_;  // of each expert
};

}  // namespace infer::simd
