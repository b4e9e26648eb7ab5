// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void AddScalar(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.out().columns();
  vector.add_scalar(args.in(0).f32() + begin * columns, static_cast<float>(args.attr<double>(0)),
                    (end - begin) * columns, args.out().mutable_f32() + begin * columns);
}

}  // namespace infer::simd
