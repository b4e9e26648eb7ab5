// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/scalar/ops.h"

namespace infer::scalar {

// A row is everything that belongs to one token, so it may be of rank 1 or more. i32 has the size
// of a float and is copied as one.
void SelectRows(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t row_elements = args.out().elements() / args.out().dim(0);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t token = args.batch->out_rows[i];
    std::copy_n(args.in(0).f32() + token * row_elements, row_elements,
                args.out().mutable_f32() + i * row_elements);
  }
}

}  // namespace infer::scalar
