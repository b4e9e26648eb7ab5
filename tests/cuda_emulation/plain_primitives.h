// SPDX-License-Identifier: Apache-2.0
//
// The primitives of backends/cuda/kernels/primitives.h in plain C++, on the fibers of the software
// Metal device: a fiber for each thread, 32 lanes in step only where they exchange values.
#pragma once

#include <cstring>

#include "tests/cuda_emulation/emulated_kernels.h"
#include "tests/metal_emulation/runtime/group.h"

#define DEVICE
#define INFER_KERNEL(name, Args)                                                                \
  static void name(const Args args);                                                            \
  INFER_RUNTIME_BEGIN                                                                           \
  static void Call_##name(const ::infer::emulation::Parameter*) {                               \
    name(*reinterpret_cast<const Args*>(::infer::emulation::current_group->buffers[0]));        \
  }                                                                                             \
  INFER_RUNTIME_END                                                                             \
  static const ::infer::cuda_emulation::RegisterKernel register_##name(#name, Call_##name,      \
                                                                       sizeof(Args), __LINE__); \
  static void name(const Args args)
#define INFER_BOUNDED_KERNEL(name, Args, threads, blocks) INFER_KERNEL(name, Args)

namespace infer::cuda {

using emulation::current_group;
using emulation::current_thread;
using emulation::Site;

INFER_RUNTIME_BEGIN
inline int ThreadIndex() { return static_cast<int>(current_thread->index); }
inline int BlockX() { return static_cast<int>(current_group->position.x); }
inline int BlockY() { return static_cast<int>(current_group->position.y); }
inline int BlockZ() { return static_cast<int>(current_group->position.z); }
inline unsigned char* SharedMemory() {
  return static_cast<unsigned char*>(current_group->threadgroup_arguments[0]);
}
INFER_RUNTIME_END

inline void Barrier(Site site = Site::Here()) { emulation::ThreadgroupBarrier(site); }

inline void WarpBarrier(Site site = Site::Here()) { emulation::Exchange("warp barrier", 0, site); }

inline float ShuffleXor(float value, int mask, Site site = Site::Here()) {
  // By bits: a float that travels through a register may change as a signalling NaN.
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const unsigned char* slots = emulation::Exchange("shuffle", bits, site);
  const uint32_t lane = static_cast<uint32_t>(current_thread->lane ^ mask);
  return __builtin_bit_cast(float, emulation::SlotValue<uint32_t>(slots, lane));
}

inline int Dot4(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) {
    c += static_cast<int>(static_cast<signed char>(a >> i)) *
         static_cast<int>(static_cast<signed char>(b >> i));
  }
  return c;
}

inline Int4 LoadOnce(const void* from) { return *static_cast<const Int4*>(from); }
inline float SquareRoot(float value) { return __builtin_sqrtf(value); }
inline float Reciprocal(float value) {
  return __builtin_fabsf(value) < 0x1p-126f ? __builtin_inff() : 1.0f / value;
}
inline float InverseSquareRoot(float value) { return 1.0f / __builtin_sqrtf(value); }
inline float Exp2(float value) {
  const float result = __builtin_exp2f(value);
  return result < 0x1p-126f ? 0.0f : result;
}
inline void LetNextStart() {}
inline void WaitForPrevious() {}
inline void Fence() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
inline uint32_t AtomicIncrement(uint32_t* at) {
  return __atomic_fetch_add(at, 1u, __ATOMIC_ACQ_REL);
}
inline uint32_t AtomicIncrementShared(uint32_t* at) { return AtomicIncrement(at); }

inline Int4 LoadShared(const void* from) { return *static_cast<const Int4*>(from); }

// Copies at once: a missing WaitCopies is not seen.
inline void CopyAsync16(void* to, const void* from, bool valid) {
  *static_cast<Int4*>(to) = valid ? *static_cast<const Int4*>(from) : Int4{0, 0, 0, 0};
}
template <int kBytes>
inline void CopyAsync(void* to, const void* from) {
  struct Bytes {
    alignas(kBytes) unsigned char bytes[kBytes];
  };
  *static_cast<Bytes*>(to) = *static_cast<const Bytes*>(from);
}
inline void CommitCopies() {}
template <int kPending>
inline void WaitCopyGroups() {}
inline void WaitCopies() {}

struct Fragment4 {
  uint32_t r[4];
};

inline Fragment4 LoadMatrices(const uint16_t* row, Site site = Site::Here()) {
  const unsigned char* slots = emulation::Exchange("matrix load", row, site);
  const uint32_t lane = current_thread->lane;
  Fragment4 f;
  for (uint32_t m = 0; m < 4; ++m) {
    const auto* from = emulation::SlotValue<const uint16_t*>(slots, m * 8 + lane / 4);
    f.r[m] = static_cast<uint32_t>(from[lane % 4 * 2 + 1]) << 16 | from[lane % 4 * 2];
  }
  return f;
}
inline Fragment4 LoadMatricesTransposed(const uint16_t* row, Site site = Site::Here()) {
  const unsigned char* slots = emulation::Exchange("transposed matrix load", row, site);
  const uint32_t lane = current_thread->lane;
  Fragment4 f;
  for (uint32_t m = 0; m < 4; ++m) {
    const auto* low = emulation::SlotValue<const uint16_t*>(slots, m * 8 + lane % 4 * 2);
    const auto* high = emulation::SlotValue<const uint16_t*>(slots, m * 8 + lane % 4 * 2 + 1);
    f.r[m] = static_cast<uint32_t>(high[lane / 4]) << 16 | low[lane / 4];
  }
  return f;
}

struct MmaOperands {
  uint32_t a[4];
  uint32_t b[2];
};

// Row g of a is in lanes 4g .. 4g + 3, two columns each; column n of b in lanes 4n .. 4n + 3.
template <class ToFloat>
inline void Mma(float (&c)[4], const Fragment4& a, uint32_t b0, uint32_t b1, Site site,
                ToFloat to_float) {
  const MmaOperands mine = {{a.r[0], a.r[1], a.r[2], a.r[3]}, {b0, b1}};
  const unsigned char* slots = emulation::Exchange("mma", mine, site);
  const uint32_t lane = current_thread->lane;
  MmaOperands rows[4], columns[2][4];
  for (uint32_t i = 0; i < 4; ++i) {
    rows[i] = emulation::SlotValue<MmaOperands>(slots, lane / 4 * 4 + i);
    for (uint32_t n = 0; n < 2; ++n) {
      columns[n][i] = emulation::SlotValue<MmaOperands>(slots, (lane % 4 * 2 + n) * 4 + i);
    }
  }
  for (uint32_t out = 0; out < 4; ++out) {
    for (uint32_t k = 0; k < 16; ++k) {
      const uint32_t lane_of_k = k % 8 / 2, shift = k % 2 * 16;
      const uint32_t left = rows[lane_of_k].a[out / 2 + k / 8 * 2] >> shift;
      const uint32_t right = columns[out % 2][lane_of_k].b[k / 8] >> shift;
      c[out] += to_float(static_cast<uint16_t>(left)) * to_float(static_cast<uint16_t>(right));
    }
  }
}
inline void MmaF16(float (&c)[4], const Fragment4& a, uint32_t b0, uint32_t b1,
                   Site site = Site::Here()) {
  Mma(c, a, b0, b1, site,
      [](uint16_t bits) { return static_cast<float>(__builtin_bit_cast(_Float16, bits)); });
}
inline void MmaBf16(float (&c)[4], const Fragment4& a, uint32_t b0, uint32_t b1,
                    Site site = Site::Here()) {
  Mma(c, a, b0, b1, site,
      [](uint16_t bits) { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); });
}

// Row g of a is in lanes 4g .. 4g + 3, four columns each; column n of b in lanes 4n .. 4n + 3.
inline void MmaInt8(int (&c)[4], uint32_t a0, uint32_t a1, uint32_t b, Site site = Site::Here()) {
  const MmaOperands mine = {{a0, a1, 0, 0}, {b, 0}};
  const unsigned char* slots = emulation::Exchange("int8 mma", mine, site);
  const uint32_t lane = current_thread->lane;
  for (uint32_t out = 0; out < 4; ++out) {
    for (uint32_t i = 0; i < 4; ++i) {
      const auto row = emulation::SlotValue<MmaOperands>(slots, lane / 4 * 4 + i);
      const auto column =
          emulation::SlotValue<MmaOperands>(slots, (lane % 4 * 2 + out % 2) * 4 + i);
      c[out] = Dot4(static_cast<int>(row.a[out / 2]), static_cast<int>(column.b[0]), c[out]);
    }
  }
}
inline void MmaInt8(int (&c)[4], const Fragment4& a, uint32_t b0, uint32_t b1,
                    Site site = Site::Here()) {
  MmaInt8(c, a.r[0], a.r[1], b0, site);
  MmaInt8(c, a.r[2], a.r[3], b1, site);
}

}  // namespace infer::cuda
