// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void Softmax(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.out().columns();
  for (int64_t row = begin; row < end; ++row) {
    vector.softmax(args.in(0).f32() + row * columns, columns,
                   args.out().mutable_f32() + row * columns);
  }
}

}  // namespace infer::simd
