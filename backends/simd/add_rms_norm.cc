// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void AddRmsNorm(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.out().columns();
  const float eps = static_cast<float>(args.attr<double>(0));
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * columns;
    vector.add_rms_norm(args.in(0).f32() + at, args.in(1).f32() + at, args.in(2).f32(), eps,
                        columns, args.out(0).mutable_f32() + at, args.out(1).mutable_f32() + at);
  }
}

}  // namespace infer::simd
