// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/ops.h"

namespace infer::scalar {

// A unit is a row of the result.
void Transpose(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t in_columns = args.in(0).columns();
  const int64_t columns = args.out().columns();
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t i = 0; i < columns; ++i) {
      args.out().mutable_f32()[row * columns + i] = args.in(0).f32()[i * in_columns + row];
    }
  }
}

}  // namespace infer::scalar
