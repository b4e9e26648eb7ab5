// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

// A token's weights times the matrix of its rows.
void Combine(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t parts = args.in(0).dim(1), columns = args.out().columns();
  for (int64_t token = begin; token < end; ++token) {
    BoundVector(args).matmul({.a = args.in(1).f32() + token * parts,
                              .b = args.in(0).f32() + token * parts * columns,
                              .out = args.out().mutable_f32() + token * args.out().stride(),
                              .rows = 1,
                              .inner = parts,
                              .columns = columns});
  }
}

}  // namespace infer::simd
