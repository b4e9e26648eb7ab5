// SPDX-License-Identifier: Apache-2.0
//
// Sums over the threads of a group. `parts` has room for one float per simdgroup, at most 32.
#pragma once

// Every thread gets the sum. All threads of the group must call it, and nothing may write to
// `parts` before the next barrier: in every kernel this comes last.
inline float GroupSum(float value, threadgroup float* parts, ushort lane, ushort simd,
                      ushort simds) {
  const float part = simd_sum(value);
  if (lane == 0) parts[simd] = part;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return simd_sum(lane < simds ? parts[lane] : 0.0f);
}

// Returns the largest value; `value` must not be NaN. `parts` may be written again.
inline float GroupMax(float value, threadgroup float* parts, ushort lane, ushort simd,
                      ushort simds) {
  const float part = simd_max(value);
  if (lane == 0) parts[simd] = part;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float largest = simd_max(lane < simds ? parts[lane] : -INFINITY);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return largest;
}

// Checks the bits: a compiler that may assume finite numbers folds x != x away.
inline bool IsNan(float x) { return (as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u; }
inline bool IsFinite(float x) { return (as_type<uint>(x) & 0x7f800000u) != 0x7f800000u; }
