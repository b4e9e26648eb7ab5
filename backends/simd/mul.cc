// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void Mul(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.out().columns();
  const bool y_is_vector = args.in(1).rank < args.in(0).rank;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * columns;
    vector.mul(args.in(0).f32() + at, args.in(1).f32() + (y_is_vector ? 0 : at), columns,
               args.out().mutable_f32() + at);
  }
}

}  // namespace infer::simd
