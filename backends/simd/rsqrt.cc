// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/simd/ops.h"

namespace infer::simd {

// One element a row in the decomposition of a norm, so a plain loop.
void Rsqrt(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  for (int64_t i = begin * columns; i < end * columns; ++i) {
    args.out().mutable_f32()[i] = 1.0f / std::sqrt(args.in(0).f32()[i]);
  }
}

}  // namespace infer::simd
