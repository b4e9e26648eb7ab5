// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tools/serve/metrics/exposition.h"

namespace infer::metrics {

// What the system says about this process. Empty where it does not say it (/proc is Linux's).
struct ProcessStats {
  std::optional<double> cpu_seconds;
  std::optional<int64_t> resident_bytes;
  std::optional<int64_t> virtual_bytes;
  std::optional<int64_t> open_files;
  std::optional<double> start_seconds;  // since 1970
};

ProcessStats ReadProcessStats();

// Writes those that are known, with the names that Prometheus' own clients use.
void WriteProcessStats(Exposition& out, const ProcessStats& stats);

}  // namespace infer::metrics
