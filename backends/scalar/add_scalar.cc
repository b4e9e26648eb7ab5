// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/ops.h"
#include "ir/ops/attributes.h"

namespace infer::scalar {

void AddScalar(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  const double scalar = ops::AddScalarValue(args.attrs);
  const float* x = args.in(0).f32();
  float* out = args.out().mutable_f32();
  for (int64_t i = begin * columns; i < end * columns; ++i) {
    out[i] = static_cast<float>(x[i] + scalar);
  }
}

}  // namespace infer::scalar
