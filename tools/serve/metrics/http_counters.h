// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/serve/metrics/exposition.h"

namespace infer::metrics {

// Counts answers by route and status. Both come from fixed lists, so that a client cannot create
// series by asking for paths that do not exist.
class HttpCounters {
 public:
  explicit HttpCounters(std::vector<std::string> routes);

  // Paths that are not among the routes count as "other".
  void Record(std::string_view path, int status, uint64_t sent_bytes);
  void Write(Exposition& out) const;

 private:
  static constexpr std::array kStatuses = {200, 204, 400, 401, 403, 404, 405, 408, 409, 411, 413,
                                           414, 415, 417, 421, 422, 429, 431, 499, 500, 501, 503};
  static constexpr size_t kColumns = kStatuses.size() + 1;  // the last one: any other status

  std::vector<std::string> routes_;
  std::vector<std::atomic<uint64_t>> counts_;  // a row for each route and one for others
  std::atomic<uint64_t> sent_bytes_ = 0;
};

}  // namespace infer::metrics
