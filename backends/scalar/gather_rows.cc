// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/scalar/ops.h"

namespace infer::scalar {

void GatherRows(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = args.in(1).i32()[i];
    std::copy_n(args.in(0).f32() + row * columns, columns, args.out().mutable_f32() + i * columns);
  }
}

}  // namespace infer::scalar
