// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace infer {

// Microseconds of a call: the half and the 95 % of calls that take no longer.
struct DispatchTimes {
  double median_us = 0;
  double p95_us = 0;
};

DispatchTimes TimesOf(std::vector<double> us);

struct DispatchRecord {
  std::string way;
  DispatchTimes awake;        // calls one after the other
  DispatchTimes after_sleep;  // each after 10 ms in which the caller slept
};

// A table in Markdown, a line for each record.
std::string DispatchTable(std::span<const DispatchRecord> records, int threads);
// The medians as bars on a logarithmic scale, an SVG file.
std::string DispatchPlot(std::span<const DispatchRecord> records, int threads);

}  // namespace infer
