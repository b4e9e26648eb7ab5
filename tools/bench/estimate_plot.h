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

// Returns all nodes of a profile that have an estimate, with their medians.
std::vector<EstimatePoint> EstimatePoints(const Profile& profile);

// Returns an SVG that plots the measured time of each node over its estimate, both on logarithmic
// scales, with the line of equality and lines a quarter above and below it. Each op has its own
// colour.
std::string EstimatePlot(std::span<const EstimatePoint> points, const std::string& title);

// Returns one line for each group of calls: the estimate of a call, computed as everywhere else,
// beside the mean and the median call; the sum of the steps' medians, which leaves out the time
// between steps; and how many nodes are within a quarter of their estimates.
std::string EstimateSums(const Profile& profile);

}  // namespace infer
