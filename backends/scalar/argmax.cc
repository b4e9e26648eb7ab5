// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/ops.h"

namespace infer::scalar {

namespace {

// Returns the first of the largest elements. A NaN counts as larger than every number, so that a
// broken model shows in the probability instead of being hidden by elements that are still numbers.
int64_t IndexOfLargest(const float* x, int64_t columns) {
  int64_t best = 0;
  for (int64_t i = 0; i < columns; ++i) {
    if (std::isnan(x[i])) return i;
    if (x[i] > x[best]) best = i;
  }
  return best;
}

}  // namespace

void Argmax(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.in(0).columns();
  for (int64_t row = begin; row < end; ++row) {
    const float* x = args.in(0).f32() + row * columns;
    const int64_t best = IndexOfLargest(x, columns);
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i) sum += std::exp(static_cast<double>(x[i]) - x[best]);
    args.out(0).mutable_i32()[row] = static_cast<int32_t>(best);
    // The largest element's own term is exp(0) = 1.
    args.out(1).mutable_f32()[row] = static_cast<float>(1.0 / sum);
  }
}

}  // namespace infer::scalar
