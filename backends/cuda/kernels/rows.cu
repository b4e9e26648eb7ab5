// SPDX-License-Identifier: Apache-2.0
//
// A block per row.
#include "backends/cuda/kernels/primitives.h"

namespace infer::cuda {

// Up to this many elements of a row stay in a thread's registers between the two passes.
constexpr uint32_t kHeld = 8;

template <bool kAdds>
DEVICE inline void RmsNorm(const RowArgs& args) {
  LetNextStart();
  float* scratch = reinterpret_cast<float*>(SharedMemory());
  const uint64_t first = static_cast<uint64_t>(BlockX()) * args.columns;
  const uint32_t thread = ThreadIndex();
  WaitForPrevious();
  float held[kHeld];
  float squares = 0;
  auto load = [&](uint32_t i) {
    float value = args.x[first + i];
    if constexpr (kAdds) value += args.y[first + i];
    return value;
  };
#pragma unroll
  for (uint32_t j = 0; j < kHeld; ++j) {
    const uint32_t i = thread + j * kRowThreads;
    held[j] = i < args.columns ? load(i) : 0;
    squares = Fma(held[j], held[j], squares);
  }
  for (uint32_t i = thread + kHeld * kRowThreads; i < args.columns; i += kRowThreads) {
    const float value = load(i);
    squares = Fma(value, value, squares);
  }
  const float mean = BlockSum(squares, scratch, kRowThreads) / static_cast<float>(args.columns);
  const float factor = 1.0f / SquareRoot(mean + args.eps);
  auto store = [&](uint32_t i, float value) {
    if constexpr (kAdds) args.sum[first + i] = value;
    args.out[first + i] = value * factor * args.weight[i];
  };
#pragma unroll
  for (uint32_t j = 0; j < kHeld; ++j) {
    const uint32_t i = thread + j * kRowThreads;
    if (i < args.columns) store(i, held[j]);
  }
  for (uint32_t i = thread + kHeld * kRowThreads; i < args.columns; i += kRowThreads) {
    store(i, load(i));
  }
}

INFER_KERNEL(rms_norm_f32, RowArgs) { RmsNorm<false>(args); }
INFER_KERNEL(add_rms_norm_f32, RowArgs) { RmsNorm<true>(args); }

// The first of the largest elements, a NaN being the largest of all, and its softmax.
INFER_KERNEL(argmax_f32, ArgmaxArgs) {
  LetNextStart();
  WaitForPrevious();
  float* scratch = reinterpret_cast<float*>(SharedMemory());
  const float* x = args.x + static_cast<uint64_t>(BlockX()) * args.columns;
  const uint32_t thread = ThreadIndex();
  float best = AsFloat(0xff800000);
  uint32_t at = 0xffffffff;
  auto better = [](float a, uint32_t i, float b, uint32_t j) {
    if ((a != a) != (b != b)) return a != a;
    if (a == b || a != a) return i < j;
    return a > b;
  };
  for (uint32_t i = thread; i < args.columns; i += kRowThreads) {
    const float value = x[i];
    if (at == 0xffffffff || better(value, i, best, at)) {
      best = value;
      at = i;
    }
  }
  for (int mask = 16; mask > 0; mask >>= 1) {
    const float other = ShuffleXor(best, mask);
    const uint32_t place = AsBits(ShuffleXor(AsFloat(at), mask));
    if (place != 0xffffffff && (at == 0xffffffff || better(other, place, best, at))) {
      best = other;
      at = place;
    }
  }
  if (thread % 32 == 0) {
    scratch[8 + thread / 32] = best;
    scratch[16 + thread / 32] = AsFloat(at);
  }
  Barrier();
  for (uint32_t i = 0; i < kRowThreads / 32; ++i) {
    const uint32_t place = AsBits(scratch[16 + i]);
    if (place != 0xffffffff && (at == 0xffffffff || better(scratch[8 + i], place, best, at))) {
      best = scratch[8 + i];
      at = place;
    }
  }
  float sum = 0;
  for (uint32_t i = thread; i < args.columns; i += kRowThreads) sum += Exp(x[i] - best);
  sum = BlockSum(sum, scratch, kRowThreads);
  if (thread != 0) return;
  args.index[BlockX()] = static_cast<int32_t>(at);
  args.probability[BlockX()] = 1.0f / sum;
}

}  // namespace infer::cuda
