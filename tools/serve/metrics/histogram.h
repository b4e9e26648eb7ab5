// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace infer::metrics {

// Counts values in fixed buckets. Record takes no lock, so any thread may call it between two
// calls of the model.
class Histogram {
 public:
  // The values counted so far. `counts` has one more element than `bounds`: values above all of
  // them.
  struct Counts {
    std::vector<uint64_t> counts;
    uint64_t total = 0;
    double sum = 0;
  };

  // `bounds` ascend and outlive the histogram; a value equal to a bound counts below it.
  explicit Histogram(std::span<const double> bounds);

  // Values that are not numbers are ignored, since one of them would make the sum useless.
  void Record(double value);
  // The total is that of the counts, even if another thread records meanwhile; the sum may then
  // miss the newest values.
  Counts Read() const;
  std::span<const double> bounds() const { return bounds_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::atomic<uint64_t>> counts_;
  std::atomic<double> sum_ = 0;
};

}  // namespace infer::metrics
