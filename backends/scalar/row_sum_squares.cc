// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/dot.h"
#include "backends/scalar/ops.h"

namespace infer::scalar {

void RowSumSquares(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.in(0).columns();
  for (int64_t row = begin; row < end; ++row) {
    const float* x = args.in(0).f32() + row * columns;
    args.out().mutable_f32()[row] = static_cast<float>(Dot(x, x, columns));
  }
}

}  // namespace infer::scalar
