// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/scalar/ops.h"
#include "ir/ops/attributes.h"

namespace infer::scalar {

void SliceColumns(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t first_column = ops::SliceFirstColumn(args.attrs);
  const int64_t columns = args.out().columns();
  for (int64_t row = begin; row < end; ++row) {
    std::copy_n(args.in(0).f32() + row * args.in(0).columns() + first_column, columns,
                args.out().mutable_f32() + row * columns);
  }
}

}  // namespace infer::scalar
