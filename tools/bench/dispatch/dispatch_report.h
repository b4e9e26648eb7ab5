// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace infer {

// Microseconds of a call: median and 95th percentile.
struct DispatchTimes {
  double median_us = 0;
  double p95_us = 0;
};

DispatchTimes TimesOf(std::vector<double> us);

struct DispatchRecord {
  std::string way;
  DispatchTimes awake;        // calls one after the other
  DispatchTimes after_sleep;  // each after the caller slept for 10 ms
};

// Returns a Markdown table with a line for each record.
std::string DispatchTable(std::span<const DispatchRecord> records, int threads);
// Returns an SVG file with the medians as bars on a logarithmic scale.
std::string DispatchPlot(std::span<const DispatchRecord> records, int threads);

}  // namespace infer
