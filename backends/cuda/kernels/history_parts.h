// SPDX-License-Identifier: Apache-2.0
//
// Attention over a history in parts. A block takes a part of the history of a token and kGroup
// heads that share their keys. The parts depend on the length of the history alone, and the last
// block of a token and its heads merges them, in order.
#pragma once

#include "backends/cuda/kernels/primitives.h"

namespace infer::cuda {

constexpr float kLog2E = 1.4426950408889634f;

// Positions of a part: merging parts takes about as long as 128 positions, so there are no shorter
// ones.
DEVICE inline uint32_t PartPositions(uint32_t length, uint32_t splits) {
  const uint32_t even = (length + splits - 1) / splits;
  return even <= 128 ? 128 : (even + 31) / 32 * 32;
}

// A softmax over the positions seen so far, in powers of two.
template <int kCount>
struct Running {
  float maximum = AsFloat(0xff800000);
  float sum = 0;
  float values[kCount] = {};

  DEVICE void Merge(float other_maximum, float other_sum, const float (&other)[kCount]) {
    const float most = maximum > other_maximum ? maximum : other_maximum;
    if (AsBits(most) == 0xff800000) return;  // nothing seen on either side
    const float mine = Exp2(maximum - most), theirs = Exp2(other_maximum - most);
    sum = sum * mine + other_sum * theirs;
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = values[i] * mine + other[i] * theirs;
    maximum = most;
  }
};

// The softmaxes of parts, each a maximum, a sum and the values of a head.
struct Merged {
  float maximum, sum, value;
};
DEVICE inline Merged MergeAll(const float* parts, uint32_t stride, uint32_t count,
                              uint32_t element) {
  constexpr uint32_t kHeld = 4;  // whose loads overlap
  Merged merged = {AsFloat(0xff800000), 0, 0};
#pragma clang loop unroll(disable)
  for (uint32_t first = 0; first < count; first += kHeld) {
#pragma unroll
    for (uint32_t j = 0; j < kHeld; ++j) {
      const uint32_t i = first + j;
      const float maximum = i < count ? parts[i * stride] : AsFloat(0xff800000);
      merged.maximum = maximum > merged.maximum ? maximum : merged.maximum;
    }
  }
#pragma clang loop unroll(disable)
  for (uint32_t first = 0; first < count; first += kHeld) {
#pragma unroll
    for (uint32_t j = 0; j < kHeld; ++j) {
      const uint32_t i = first + j;
      if (i >= count) break;
      const float* from = parts + i * stride;
      // A part without positions has no maximum, and its difference to none is not a number.
      const float weight = AsBits(from[0]) == 0xff800000 ? 0.0f : Exp2(from[0] - merged.maximum);
      merged.sum = Fma(from[1], weight, merged.sum);
      merged.value = Fma(from[2 + element], weight, merged.value);
    }
  }
  return merged;
}

// Merges what the kWarps warps of a block left in shared memory, [warp][head][2 + kDim], and then
// the parts. All threads of the block call it, after a barrier.
template <int kDim, int kGroup, int kThreads>
DEVICE inline void FinishPart(const AttentionArgs& args, uint32_t local_token, uint32_t first_head,
                              uint32_t split, uint32_t parts) {
  constexpr int kWarps = kThreads / 32;
  float* shared = reinterpret_cast<float*>(SharedMemory());
  const uint32_t thread = ThreadIndex();
  const uint64_t token = args.first_token + local_token;
  for (uint32_t i = thread; i < kGroup * kDim; i += kThreads) {
    const uint32_t g = i / kDim, element = i % kDim;
    const Merged merged = MergeAll(shared + g * (kDim + 2), kGroup * (kDim + 2), kWarps, element);
    if (parts == 1) {
      args.out[(token * args.heads + first_head + g) * kDim + element] =
          merged.value * Reciprocal(merged.sum);
      continue;
    }
    const uint64_t local = static_cast<uint64_t>(local_token) * args.heads + first_head + g;
    float* to = args.partials + (local * args.splits + split) * (kDim + 2);
    to[2 + element] = merged.value;
    if (element == 0) {
      to[0] = merged.maximum;
      to[1] = merged.sum;
    }
  }
  if (parts == 1) return;
  Fence();
  Barrier();
  uint32_t* last = reinterpret_cast<uint32_t*>(shared);
  uint32_t* counter = args.counters + local_token * args.heads + first_head;
  if (thread == 0) *last = AtomicIncrement(counter) + 1 == parts;
  Barrier();
  if (*last == 0) return;
  Fence();
  if (thread == 0) *counter = 0;
  for (uint32_t i = thread; i < kGroup * kDim; i += kThreads) {
    const uint32_t g = i / kDim, element = i % kDim;
    const uint64_t local = static_cast<uint64_t>(local_token) * args.heads + first_head + g;
    const Merged merged =
        MergeAll(args.partials + local * args.splits * (kDim + 2), kDim + 2, parts, element);
    args.out[(token * args.heads + first_head + g) * kDim + element] =
        merged.value * Reciprocal(merged.sum);
  }
}

}  // namespace infer::cuda
