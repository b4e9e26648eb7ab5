// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/ops.h"

namespace infer::scalar {

void BroadcastRows(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  for (int64_t row = begin; row < end; ++row) {
    const float value = args.in(0).f32()[row];
    float* out = args.out().mutable_f32() + row * columns;
    for (int64_t i = 0; i < columns; ++i) out[i] = value;
  }
}

}  // namespace infer::scalar
