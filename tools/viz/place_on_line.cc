// SPDX-License-Identifier: Apache-2.0
//
// Packed points have fixed distances from the first; wishes minus those distances must not decrease
// from one point to the next. That is isotonic regression: neighbours that want to pass each other
// are pooled at their weighted mean until none do.
#include "tools/viz/place_on_line.h"

#include <cstddef>

namespace infer {
namespace {

struct Pool {
  double sum = 0;
  double weight = 0;
  int points = 1;
  double mean() const { return sum / weight; }
};

}  // namespace

std::vector<double> PlaceOnLine(std::span<const LinePoint> points, double gap) {
  std::vector<double> packed;  // distances from the first point
  std::vector<Pool> pools;
  for (size_t i = 0; i < points.size(); ++i) {
    double apart = i == 0 ? 0 : (points[i - 1].width + points[i].width) / 2 + gap;
    packed.push_back(i == 0 ? 0 : packed.back() + apart);
    pools.push_back({points[i].weight * (points[i].wish - packed[i]), points[i].weight});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
      Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().weight += last.weight;
      pools.back().points += last.points;
    }
  }
  std::vector<double> places;
  for (const Pool& pool : pools) {
    for (int n = 0; n < pool.points; ++n) places.push_back(pool.mean() + packed[places.size()]);
  }
  return places;
}

}  // namespace infer
