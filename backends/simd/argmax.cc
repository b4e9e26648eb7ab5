// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void Argmax(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.in(0).columns();
  for (int64_t row = begin; row < end; ++row) {
    const float* x = args.in(0).f32() + row * columns;
    const int64_t best = vector.argmax(x, columns);
    args.out(0).mutable_i32()[row] = static_cast<int32_t>(best);
    // The largest element's own term is exp(0) = 1.
    args.out(1).mutable_f32()[row] = 1.0f / vector.sum_exp(x, columns, x[best]);
  }
}

}  // namespace infer::simd
