// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>

#include "ir/graph/shape.h"

namespace infer {

// Predicts what a call of the model takes: an estimate, times what calls of about as many tokens
// took compared with theirs, times how slow the machine is now. A neighbour that takes half the
// memory bandwidth slows calls of all sizes: the first prompt that comes then must not be given as
// many tokens as the last one, though all calls in between had one token.
class StepCost {
 public:
  // An empty estimate leaves everything to the measured times.
  explicit StepCost(std::function<double(const SymbolValues&)> estimate_ms);

  double PredictMs(const SymbolValues& call);
  // A call took this long.
  void Took(const SymbolValues& call, double ms);

 private:
  static constexpr size_t kSizes = 32;  // of T, by powers of two

  double Estimate(const SymbolValues& call);
  double FactorFor(int64_t tokens) const;

  std::function<double(const SymbolValues&)> estimate_ms_;
  // An estimate walks the graph, so calls that are almost equal share one: its numbers are rounded
  // up, which also bounds the map.
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, double> estimates_;
  // Moving averages.
  std::array<double, kSizes> factors_ = {};  // measured / estimated, by size; 0: unknown
  double slowdown_ = 1;                      // of all sizes
};

}  // namespace infer
