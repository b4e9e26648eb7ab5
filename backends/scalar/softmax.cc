// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "backends/scalar/ops.h"

namespace infer::scalar {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void SoftmaxRow(const float* x, int64_t columns, float* out) {
  double max = -kInfinity;
  bool all_masked = true;
  for (int64_t i = 0; i < columns; ++i) {
    if (x[i] > max) max = x[i];
    if (x[i] != -kInfinity) all_masked = false;  // true for a NaN as well
  }
  double sum = 0;
  for (int64_t i = 0; i < columns; ++i) sum += std::exp(x[i] - max);
  // exp is recomputed instead of stored: out may be x, and storing it in floats would round twice.
  // Fully masked rows get zero weights; the formula alone would give 0/0.
  for (int64_t i = 0; i < columns; ++i) {
    out[i] = all_masked ? 0.0f : static_cast<float>(std::exp(x[i] - max) / sum);
  }
}

}  // namespace

void Softmax(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  for (int64_t row = begin; row < end; ++row) {
    SoftmaxRow(args.in(0).f32() + row * columns, columns, args.out().mutable_f32() + row * columns);
  }
}

}  // namespace infer::scalar
