// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void Matmul(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t inner = args.in(0).columns(), columns = args.out().columns();
  vector.matmul({.a = args.in(0).f32() + begin * inner,
                 .b = args.in(1).f32(),
                 .out = args.out().mutable_f32() + begin * columns,
                 .rows = end - begin,
                 .inner = inner,
                 .columns = columns});
}

}  // namespace infer::simd
