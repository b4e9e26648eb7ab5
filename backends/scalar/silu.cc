// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/ops.h"

namespace infer::scalar {

void Silu(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  const float* in = args.in(0).f32();
  float* out = args.out().mutable_f32();
  for (int64_t i = begin * columns; i < end * columns; ++i) {
    const double x = in[i];
    out[i] = static_cast<float>(x / (1.0 + std::exp(-x)));
  }
}

}  // namespace infer::scalar
