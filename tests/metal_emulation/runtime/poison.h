// SPDX-License-Identifier: Apache-2.0
//
// Memory that nobody has written yet, and memory that nobody may touch.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INFER_EMULATION_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define INFER_EMULATION_ASAN 1
#endif
#if INFER_EMULATION_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace infer::emulation {

// As f32, f16 and bf16 a NaN, as an integer -1 or the largest one: what is computed from memory
// that was never written shows in the result.
inline constexpr unsigned char kPoisonByte = 0xFF;

#if INFER_EMULATION_ASAN
inline constexpr bool kHasAddressSanitizer = true;
inline void Poison(const void* memory, size_t bytes) { ASAN_POISON_MEMORY_REGION(memory, bytes); }
inline void Unpoison(const void* memory, size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
}
#else
inline constexpr bool kHasAddressSanitizer = false;
inline void Poison(const void*, size_t) {}
inline void Unpoison(const void*, size_t) {}
#endif

}  // namespace infer::emulation
