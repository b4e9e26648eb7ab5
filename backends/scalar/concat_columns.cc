// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/scalar/ops.h"

namespace infer::scalar {

void ConcatColumns(const KernelArgs& args, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    float* out = args.out().mutable_f32() + row * args.out().columns();
    for (const Operand& part : args.inputs) {
      const int64_t columns = part.tensor.columns();
      out = std::copy_n(part.tensor.f32() + row * columns, columns, out);
    }
  }
}

}  // namespace infer::scalar
