// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace infer {

// A point on a line that keeps a distance from others.
struct LinePoint {
  double wish = 0;    // desired position
  double weight = 1;  // of the wish
  double width = 0;
};

// Returns positions of the points in their order, with at least `gap` between the borders of
// neighbours and the least weighted sum of squared distances from the wishes.
std::vector<double> PlaceOnLine(std::span<const LinePoint> points, double gap);

}  // namespace infer
