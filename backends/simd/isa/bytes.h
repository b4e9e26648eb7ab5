// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 32 weights as bytes, and their products with 32 activations: the other half of the thin
// vector header. Only for files that are compiled for a level.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include "backends/simd/isa/bytes_x86.h"
#else
#include "backends/simd/isa/bytes_neon.h"
#endif

namespace infer::simd::INFER_SIMD_LEVEL {

// Reads a half as stored in a file.
static inline float HalfAt(const uint8_t* p) {
  uint16_t bits;
  __builtin_memcpy(&bits, p, sizeof(bits));
  return HalfToFloat(bits);
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
