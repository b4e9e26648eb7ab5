// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/value_comparer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace infer {
namespace {

// Distance between two elements; infinite if only one of them is finite or their infinities differ.
double DistanceOf(float expected, float found) {
  if (expected == found || (std::isnan(expected) && std::isnan(found))) return 0;
  const double distance = std::abs(static_cast<double>(expected) - static_cast<double>(found));
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

double Largest(const float* row, int64_t columns) {
  double largest = 0;
  for (int64_t i = 0; i < columns; ++i) {
    if (std::isfinite(row[i])) largest = std::max(largest, std::abs(static_cast<double>(row[i])));
  }
  return largest;
}

// With a tolerance of 0, any deviation counts.
bool IsWorse(const Deviation& a, const Deviation& b) {
  return a.relative * b.tolerance > b.relative * a.tolerance ||
         (a.tolerance == b.tolerance && a.relative > b.relative);
}

}  // namespace

void ValueComparer::Begin(std::string call) {
  call_ = std::move(call);
  rounding_ = Rounding::kFloat;
  ++comparison_.calls;
}

Deviation ValueComparer::Worst(const TensorView& view, const ValueLog::Entry& expected) const {
  Deviation worst;
  const int64_t columns = expected.shape.columns;
  for (int64_t i = 0; i < NumComparedRows(expected.shape.rows); ++i) {
    const float* wanted = expected.values.data() + i * columns;
    const float* found = view.f32() + ComparedRow(i, expected.shape.rows) * columns;
    // In a row of zeros any difference exceeds the tolerance.
    const double scale = std::max(Largest(wanted, columns), 1e-30);
    for (int64_t column = 0; column < columns; ++column) {
      const double relative = DistanceOf(wanted[column], found[column]) / scale;
      if (relative <= worst.relative && worst.node != nullptr) continue;
      worst.node = expected.node;
      worst.relative = relative;
      worst.row = ComparedRow(i, expected.shape.rows);
      worst.column = column;
      worst.expected = wanted[column];
      worst.found = found[column];
    }
  }
  return worst;
}

void ValueComparer::AfterStep(const Node& node, const KernelArgs& args) {
  rounding_ = std::max(rounding_, RoundingOf(node, registry_));
  for (int i = 0; i < node.num_results(); ++i) {
    if (!IsComparable(node.result(i))) continue;
    const ValueLog::Entry* expected = expected_.Find(node.result(i).origin);
    if (expected == nullptr || expected->shape != TokenRows::Of(args.out(i))) {
      ++comparison_.unmatched;
      continue;
    }
    Deviation deviation = Worst(args.out(i), *expected);
    deviation.origin = node.result(i).origin;
    deviation.node = &node;
    deviation.call = call_;
    deviation.rounding = std::max(rounding_, expected->rounding);
    deviation.tolerance = tolerance_.value_or(ToleranceOf(deviation.rounding));
    const bool beyond = deviation.relative > deviation.tolerance;
    OpDeviation& op = comparison_.ops[{std::string(node.op().name), node.placement()->kernel}];
    if (op.compared++ == 0 || IsWorse(deviation, op.worst)) op.worst = deviation;
    op.beyond += beyond ? 1 : 0;
    ++comparison_.compared;
    if (beyond && !comparison_.first) comparison_.first = std::move(deviation);
  }
}

}  // namespace infer
