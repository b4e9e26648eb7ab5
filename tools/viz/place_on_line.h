// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace infer {

// A point on a line that others must not come too near to.
struct LinePoint {
  double wish = 0;    // where it wants to be
  double weight = 1;  // how much
  double width = 0;
};

// Places of the points in their order, at least `gap` between the borders of neighbours, with the
// least weighted sum of squared distances from the wishes.
std::vector<double> PlaceOnLine(std::span<const LinePoint> points, double gap);

}  // namespace infer
