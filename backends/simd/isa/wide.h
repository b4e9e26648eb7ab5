// SPDX-License-Identifier: Apache-2.0
//
// The thin header of products with packed panels: 16 columns side by side, whatever the width of
// the level's registers, so that the kernels are written once. Only for files that are compiled for
// a level.
//
// INFER_SIMD_PLAIN chooses plain loops. They are for tests: with them, the logic of the kernels
// runs on any CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(INFER_SIMD_PLAIN)
#include "backends/simd/isa/wide_plain.h"
#elif defined(__AVX512VNNI__)
#include "backends/simd/isa/wide_avx512.h"
#elif defined(__AVX2__)
#include "backends/simd/isa/wide_avx2.h"
#else
#include "backends/simd/isa/wide_neon.h"
#endif
