// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/primitives.h"

namespace infer::cuda {

template <class F>
DEVICE inline void ForElement(const ElementArgs& args, F compute) {
  LetNextStart();
  WaitForPrevious();
  const uint32_t i = static_cast<uint32_t>(BlockX()) * kElementThreads + ThreadIndex();
  if (i >= args.count) return;
  args.out[i] = compute(args.x[i], i);
}

INFER_KERNEL(add_f32, ElementArgs) {
  ForElement(args, [&](float x, uint32_t i) { return x + args.y[i % args.period]; });
}
INFER_KERNEL(mul_f32, ElementArgs) {
  ForElement(args, [&](float x, uint32_t i) { return x * args.y[i % args.period]; });
}
INFER_KERNEL(silu_f32, ElementArgs) {
  ForElement(args, [](float x, uint32_t) { return Silu(x); });
}
INFER_KERNEL(swiglu_f32, ElementArgs) {
  ForElement(args, [&](float x, uint32_t i) { return Silu(x) * args.y[i]; });
}
// As products of one token compute it.
INFER_KERNEL(fast_swiglu_f32, ElementArgs) {
  ForElement(args, [&](float x, uint32_t i) { return FastSilu(x) * args.y[i]; });
}

INFER_KERNEL(gather_rows_f32, GatherArgs) {
  LetNextStart();
  WaitForPrevious();
  const uint64_t i = static_cast<uint64_t>(BlockX()) * kElementThreads + ThreadIndex();
  if (i >= static_cast<uint64_t>(args.count) * args.columns) return;
  const uint64_t row = static_cast<uint64_t>(args.rows[i / args.columns]);
  args.out[i] = args.x[row * args.columns + i % args.columns];
}

}  // namespace infer::cuda
