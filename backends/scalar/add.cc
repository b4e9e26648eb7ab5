// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/ops.h"

namespace infer::scalar {

void Add(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  const bool y_is_vector = args.in(1).rank < args.in(0).rank;
  for (int64_t row = begin; row < end; ++row) {
    const float* x = args.in(0).f32() + row * columns;
    const float* y = args.in(1).f32() + (y_is_vector ? 0 : row * columns);
    float* out = args.out().mutable_f32() + row * columns;
    for (int64_t i = 0; i < columns; ++i) out[i] = x[i] + y[i];
  }
}

}  // namespace infer::scalar
