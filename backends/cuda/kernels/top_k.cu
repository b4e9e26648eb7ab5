// SPDX-License-Identifier: Apache-2.0
//
// The largest elements of a row in order, equal ones by lower column, a NaN before every number.
// An element and its column make a key of 64 bits, all different, so that their order is one of
// integers and the k largest are those from the k-th largest key on. That key is found eight bits
// at a time, from the top, by counting the keys for each value of the next eight. Long rows are
// divided into parts, and a block for each finds the k largest of it.
#include "backends/cuda/kernels/primitives.h"

namespace infer::cuda {

constexpr uint32_t kTopDigits = 8;

// Larger for larger elements, then for lower columns; never 0. -0 and 0 are equal.
DEVICE inline uint64_t KeyOf(float value, uint32_t column) {
  const uint32_t bits = value == 0 ? 0 : AsBits(value);
  const uint32_t ordered = value != value ? 0xffffffff : bits >> 31 ? ~bits : bits | 0x80000000;
  return static_cast<uint64_t>(ordered) << 32 | static_cast<uint32_t>(~column);
}

struct TopShared {
  uint64_t list[kTopMost];
  uint32_t bins[kTopBins];
  uint32_t bin, left, in_bin;  // of the bin that has the key
  uint32_t taken;
};
static_assert(sizeof(TopShared) == kTopSharedBytes);

// Called by the first warp: the bin of the `wanted`-th largest key, and how many of that bin are
// among those wanted.
DEVICE inline void FindBin(TopShared& shared, uint32_t wanted) {
  constexpr uint32_t kBinsOfLane = kTopBins / 32;
  const uint32_t lane = ThreadIndex();
  uint32_t total = 0, above = 0;
  for (uint32_t i = 0; i < kBinsOfLane; ++i) total += shared.bins[lane * kBinsOfLane + i];
  const uint32_t mine = total;
  for (uint32_t mask = 1; mask < 32; mask *= 2) {
    const uint32_t other = AsBits(ShuffleXor(AsFloat(total), static_cast<int>(mask)));
    if ((lane & mask) == 0) above += other;
    total += other;
  }
  if (above >= wanted || above + mine < wanted) return;
  uint32_t bin = lane * kBinsOfLane + kBinsOfLane - 1;
  while (above + shared.bins[bin] < wanted) above += shared.bins[bin--];
  shared.bin = bin;
  shared.left = wanted - above;
  shared.in_bin = shared.bins[bin];
}

// The `wanted`-th largest of `count` keys, or a smaller number that is above the next one.
template <class KeyAt>
DEVICE inline uint64_t FindThreshold(TopShared& shared, uint32_t count, uint32_t wanted,
                                     KeyAt key_at) {
  const uint32_t thread = ThreadIndex();
  uint64_t prefix = 0;
  int shift = 64 - kTopDigits;
#pragma clang loop unroll(disable)
  for (;; shift -= kTopDigits) {
    if (thread < kTopBins) shared.bins[thread] = 0;
    if (thread == 0) shared.taken = 0;
    Barrier();
#pragma clang loop unroll(disable)
    for (uint32_t i = thread; i < count; i += kTopThreads) {
      const uint64_t digits = key_at(i) >> shift;
      if (digits >> kTopDigits == prefix) {
        AtomicIncrementShared(&shared.bins[digits % kTopBins]);
      }
    }
    Barrier();
    if (thread < 32) FindBin(shared, wanted);
    Barrier();
    prefix = prefix << kTopDigits | shared.bin;
    wanted = shared.left;
    if (shared.in_bin == wanted || shift == 0) return prefix << shift;
  }
}

// Calls `take(slot, key)` for each of the `wanted` largest of `count` keys, in any order.
template <class KeyAt, class Take>
DEVICE inline void TakeLargest(TopShared& shared, uint32_t count, uint32_t wanted, KeyAt key_at,
                               Take take) {
  const uint64_t threshold = FindThreshold(shared, count, wanted, key_at);
#pragma clang loop unroll(disable)
  for (uint32_t i = ThreadIndex(); i < count; i += kTopThreads) {
    const uint64_t key = key_at(i);
    if (key >= threshold) take(AtomicIncrementShared(&shared.taken), key);
  }
}

// Writes the k largest of a row's keys in order.
template <class KeyAt>
DEVICE inline void WriteLargest(const TopKArgs& args, uint32_t count, KeyAt key_at) {
  TopShared& shared = *reinterpret_cast<TopShared*>(SharedMemory());
  TakeLargest(shared, count, args.k, key_at,
              [&](uint32_t slot, uint64_t key) { shared.list[slot] = key; });
  Barrier();
  const uint32_t thread = ThreadIndex();
  if (thread >= args.k) return;
  const uint64_t key = shared.list[thread];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < args.k; ++i) rank += shared.list[i] > key ? 1 : 0;
  const uint64_t row = BlockY();
  const uint32_t column = ~static_cast<uint32_t>(key);
  args.ids[row * args.k + rank] = static_cast<int32_t>(column);
  args.values[row * args.k + rank] = args.x[row * args.columns + column];
}

// A block per part of a row. What a part lacks to k keys is 0, which is below every key.
INFER_KERNEL(top_k_parts, TopKArgs) {
  LetNextStart();
  WaitForPrevious();
  TopShared& shared = *reinterpret_cast<TopShared*>(SharedMemory());
  const uint32_t first = BlockX() * args.part_columns;
  const uint32_t rest = args.columns - first;
  const uint32_t count = rest < args.part_columns ? rest : args.part_columns;
  const uint32_t wanted = count < args.k ? count : args.k;
  const float* x = args.x + static_cast<uint64_t>(BlockY()) * args.columns + first;
  uint64_t* keys = args.keys + (static_cast<uint64_t>(BlockY()) * args.parts + BlockX()) * args.k;
  TakeLargest(
      shared, count, wanted, [&](uint32_t i) { return KeyOf(x[i], first + i); },
      [&](uint32_t slot, uint64_t key) { keys[slot] = key; });
  for (uint32_t i = wanted + ThreadIndex(); i < args.k; i += kTopThreads) keys[i] = 0;
}

// A block per row.
INFER_KERNEL(top_k_merge, TopKArgs) {
  LetNextStart();
  WaitForPrevious();
  const uint64_t* keys = args.keys + static_cast<uint64_t>(BlockY()) * args.parts * args.k;
  WriteLargest(args, args.parts * args.k, [&](uint32_t i) { return keys[i]; });
}
INFER_KERNEL(top_k_row, TopKArgs) {
  LetNextStart();
  WaitForPrevious();
  const float* x = args.x + static_cast<uint64_t>(BlockY()) * args.columns;
  WriteLargest(args, args.columns, [&](uint32_t i) { return KeyOf(x[i], i); });
}

}  // namespace infer::cuda
