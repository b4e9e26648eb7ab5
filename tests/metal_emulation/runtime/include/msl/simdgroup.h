// SPDX-License-Identifier: Apache-2.0
//
// Barriers, and functions by which the 32 lanes of a simdgroup exchange values. All lanes must come
// to the same call: a house rule, since what lanes that are elsewhere contribute depends on the
// GPU.
#pragma once

#include "msl/make.h"
#include "tests/metal_emulation/runtime/group.h"

INFER_RUNTIME_BEGIN
namespace metal {

enum class mem_flags : uint {
  mem_none = 0,
  mem_device = 1,
  mem_threadgroup = 2,
  mem_texture = 4,
};
inline mem_flags operator|(mem_flags a, mem_flags b) {
  return static_cast<mem_flags>(static_cast<uint>(a) | static_cast<uint>(b));
}

inline void threadgroup_barrier(mem_flags, const char* file = __builtin_FILE(),
                                int line = __builtin_LINE()) {
  ::infer::emulation::ThreadgroupBarrier({file, line});
}
inline void simdgroup_barrier(mem_flags, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  ::infer::emulation::Arrive("simdgroup_barrier", {file, line}, [] {});
}

#define MSL_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define MSL_EXCHANGE(operation, value) \
  ::infer::emulation::Exchange(operation, value, ::infer::emulation::Site{file, line})

// Halves the lanes again and again, as the hardware is believed to do: the order of additions is
// the same for every order in which the emulation runs the threads.
template <class T, class F>
inline T msl_reduce(const char* operation, T value, F combine, MSL_SITE) {
  namespace emulation = ::infer::emulation;
  emulation::Simdgroup& group = *emulation::current_thread->simdgroup;
  const int bank = group.bank();
  std::memcpy(group.slot[bank][emulation::current_thread->lane], &value, sizeof(T));
  emulation::Arrive(operation, {file, line}, [&] {
    T values[emulation::kSimdWidth];
    int count = 0;
    for (int lane = 0; lane < emulation::kSimdWidth; ++lane) {
      if (!group.present[lane]) continue;
      values[count++] = emulation::SlotValue<T>(&group.slot[bank][0][0], lane);
    }
    while (count > 1) {
      const int half_count = (count + 1) / 2;
      for (int i = 0; i + half_count < count; ++i) {
        values[i] = combine(values[i], values[i + half_count]);
      }
      count = half_count;
    }
    std::memcpy(group.result[bank], &values[0], sizeof(T));
  });
  std::memcpy(&value, group.result[bank], sizeof(T));
  return value;
}

#define MSL_REDUCTION(name, expression)                                                 \
  template <class T>                                                                    \
  inline T name(T value, MSL_SITE) {                                                    \
    return msl_reduce(                                                                  \
        #name, value, [](T x, T y) { return static_cast<T>(expression); }, file, line); \
  }
MSL_REDUCTION(simd_sum, x + y)
MSL_REDUCTION(simd_product, x* y)
MSL_REDUCTION(simd_max, x < y ? y : x)
MSL_REDUCTION(simd_min, y < x ? y : x)
MSL_REDUCTION(simd_and, x& y)
MSL_REDUCTION(simd_or, x | y)
MSL_REDUCTION(simd_xor, x ^ y)
#undef MSL_REDUCTION
inline bool simd_all(bool value, MSL_SITE) { return simd_and<int>(value, file, line) != 0; }
inline bool simd_any(bool value, MSL_SITE) { return simd_or<int>(value, file, line) != 0; }

inline int msl_lane() { return ::infer::emulation::current_thread->lane; }
inline bool simd_is_first() { return msl_lane() == 0; }

template <class T>
inline T msl_lane_value(const unsigned char* slots, int lane) {
  return ::infer::emulation::SlotValue<T>(slots, static_cast<uint32_t>(lane));
}

template <class T>
inline T simd_shuffle(T value, ushort lane, MSL_SITE) {
  return msl_lane_value<T>(MSL_EXCHANGE("simd_shuffle", value), lane);
}
template <class T>
inline T simd_broadcast(T value, ushort lane, MSL_SITE) {
  return msl_lane_value<T>(MSL_EXCHANGE("simd_broadcast", value), lane);
}
template <class T>
inline T simd_broadcast_first(T value, MSL_SITE) {
  return msl_lane_value<T>(MSL_EXCHANGE("simd_broadcast_first", value), 0);
}
template <class T>
inline T simd_shuffle_xor(T value, ushort mask, MSL_SITE) {
  return msl_lane_value<T>(MSL_EXCHANGE("simd_shuffle_xor", value), msl_lane() ^ mask);
}
// Lanes whose source would lie outside keep their own value.
template <class T>
inline T simd_shuffle_down(T value, ushort delta, MSL_SITE) {
  const unsigned char* const slots = MSL_EXCHANGE("simd_shuffle_down", value);
  const int source = msl_lane() + delta;
  return source < ::infer::emulation::kSimdWidth ? msl_lane_value<T>(slots, source) : value;
}
template <class T>
inline T simd_shuffle_up(T value, ushort delta, MSL_SITE) {
  const unsigned char* const slots = MSL_EXCHANGE("simd_shuffle_up", value);
  const int source = msl_lane() - delta;
  return source >= 0 ? msl_lane_value<T>(slots, source) : value;
}
template <class T>
inline T simd_shuffle_rotate_down(T value, ushort delta, MSL_SITE) {
  return msl_lane_value<T>(MSL_EXCHANGE("simd_shuffle_rotate_down", value), msl_lane() + delta);
}
template <class T>
inline T simd_shuffle_rotate_up(T value, ushort delta, MSL_SITE) {
  return msl_lane_value<T>(MSL_EXCHANGE("simd_shuffle_rotate_up", value), msl_lane() - delta);
}
template <class T>
inline T simd_prefix_exclusive_sum(T value, MSL_SITE) {
  const unsigned char* const slots = MSL_EXCHANGE("simd_prefix_exclusive_sum", value);
  T sum = 0;
  for (int lane = 0; lane < msl_lane(); ++lane) sum += msl_lane_value<T>(slots, lane);
  return sum;
}
template <class T>
inline T simd_prefix_inclusive_sum(T value, MSL_SITE) {
  const unsigned char* const slots = MSL_EXCHANGE("simd_prefix_inclusive_sum", value);
  T sum = 0;
  for (int lane = 0; lane <= msl_lane(); ++lane) sum += msl_lane_value<T>(slots, lane);
  return sum;
}

}  // namespace metal
INFER_RUNTIME_END
