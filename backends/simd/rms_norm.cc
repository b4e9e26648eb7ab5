// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void RmsNorm(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.out().columns();
  const float eps = static_cast<float>(args.attr<double>(0));
  for (int64_t row = begin; row < end; ++row) {
    vector.rms_norm(args.in(0).f32() + row * columns, args.in(1).f32(), eps, columns,
                    args.out().mutable_f32() + row * columns);
  }
}

}  // namespace infer::simd
