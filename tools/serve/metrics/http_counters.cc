// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/http_counters.h"

#include <algorithm>
#include <utility>

namespace infer::metrics {

HttpCounters::HttpCounters(std::vector<std::string> routes)
    : routes_(std::move(routes)), counts_((routes_.size() + 1) * kColumns) {}

void HttpCounters::Record(std::string_view path, int status, uint64_t sent_bytes) {
  const auto row = static_cast<size_t>(std::ranges::find(routes_, path) - routes_.begin());
  const auto column = static_cast<size_t>(std::ranges::find(kStatuses, status) - kStatuses.begin());
  counts_[row * kColumns + column].fetch_add(1, std::memory_order_relaxed);
  sent_bytes_.fetch_add(sent_bytes, std::memory_order_relaxed);
}

void HttpCounters::Write(Exposition& out) const {
  out.Metric("infer_http_requests_total", "counter", "HTTP requests answered.");
  for (size_t row = 0; row <= routes_.size(); ++row) {
    for (size_t column = 0; column < kColumns; ++column) {
      const uint64_t count = counts_[row * kColumns + column].load(std::memory_order_relaxed);
      if (count == 0) continue;
      out.Sample(
          static_cast<double>(count),
          {{"path", row < routes_.size() ? routes_[row] : "other"},
           {"status", column < kStatuses.size() ? std::to_string(kStatuses[column]) : "other"}});
    }
  }
  out.Counter("infer_http_sent_bytes_total", "Bytes of all answers.",
              static_cast<double>(sent_bytes_.load(std::memory_order_relaxed)));
}

}  // namespace infer::metrics
