// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/histogram.h"

#include <algorithm>
#include <cmath>

namespace infer::metrics {

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds), counts_(bounds.size() + 1) {}

void Histogram::Record(double value) {
  if (!std::isfinite(value)) return;
  const auto bucket = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  counts_[static_cast<size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  double sum = sum_.load(std::memory_order_relaxed);
  while (!sum_.compare_exchange_weak(sum, sum + value, std::memory_order_relaxed)) {
  }
}

Histogram::Counts Histogram::Read() const {
  Counts read;
  for (const std::atomic<uint64_t>& count : counts_) {
    read.counts.push_back(count.load(std::memory_order_relaxed));
    read.total += read.counts.back();
  }
  read.sum = sum_.load(std::memory_order_relaxed);
  return read;
}

}  // namespace infer::metrics
