// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/profile.h"

namespace infer {

// A node of a profiled group of calls.
struct EstimatePoint {
  std::string op;
  double estimate_ns = 0;
  double measured_ns = 0;
};

// All nodes of a profile that have an estimate, with the medians.
std::vector<EstimatePoint> EstimatePoints(const Profile& profile);

// SVG: the measured time of each node over its estimate, both logarithmic, with the line on which
// they are equal and those a quarter away from it. A colour for each op.
std::string EstimatePlot(std::span<const EstimatePoint> points, const std::string& title);

// One line for each group of calls: the estimate of a call, as everywhere else, beside the mean and
// the median call; the sum of the steps' medians, which leaves out what is between the steps;
// and how many nodes are within a quarter of their estimates.
std::string EstimateSums(const Profile& profile);

}  // namespace infer
