// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/chosen_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void Swiglu(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  const int64_t at = begin * columns;
  ChosenVector().swiglu(args.in(0).f32() + at, args.in(1).f32() + at, (end - begin) * columns,
                        args.out().mutable_f32() + at);
}

}  // namespace infer::simd
