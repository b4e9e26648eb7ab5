// SPDX-License-Identifier: Apache-2.0
//
// The levels by name. Each has a file next to this one that is compiled for every CPU; the
// functions it points to were compiled for its own.
#pragma once

#include "backends/simd/isa/level.h"

namespace infer::simd {

extern const Level kEmulatedLevel;
#if defined(__aarch64__)
extern const Level kNeonLevel;
extern const Level kDotprodLevel;
extern const Level kI8mmLevel;
#elif defined(__x86_64__)
extern const Level kAvx2Level;
extern const Level kAvxVnniLevel;
extern const Level kAvx512Level;
extern const Level kAmxLevel;
#endif

}  // namespace infer::simd
