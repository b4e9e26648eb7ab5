// SPDX-License-Identifier: Apache-2.0
//
// The panels of each quantised weight type.
#pragma once

#include "backends/formats/table_blocks.h"
#include "backends/simd/panels/panel_format.h"
#include "ir/graph/dtype.h"

namespace infer::simd {

// MXFP4's entries plus 12: small unsigned numbers, which AVX2 adds up faster than signed ones.
inline constexpr int8_t kMxfp4Shifted[16] = {12, 13, 14, 15, 16, 18, 20, 24,
                                             12, 11, 10, 9,  8,  6,  4,  0};

template <DType kType>
constexpr PanelFormat FormatOf() {
  using enum PanelScales;
  switch (kType) {
    case DType::kQ8_0:
      return {8, 0, 32, kHalf, false, true, 0, nullptr, 128};
    case DType::kQ4_0:
      return {4, 0, 32, kHalf, false, false, 8, nullptr, 15};
    case DType::kQ4_1:
      return {4, 0, 32, kHalf, true, false, 0, nullptr, 15};
    case DType::kQ5_0:
      return {4, 1, 32, kHalf, false, false, 16, nullptr, 31};
    case DType::kQ5_1:
      return {4, 1, 32, kHalf, true, false, 0, nullptr, 31};
    case DType::kQ2_K:
      return {2, 0, 16, kSuper, true, false, 0, nullptr, 3};
    case DType::kQ3_K:
      return {2, 1, 16, kSuper, false, false, 4, nullptr, 7};
    case DType::kQ4_K:
      return {4, 0, 32, kSuper, true, false, 0, nullptr, 15};
    case DType::kQ5_K:
      return {4, 1, 32, kSuper, true, false, 0, nullptr, 31};
    case DType::kQ6_K:
      return {4, 2, 16, kSuper, false, false, 32, nullptr, 63};
    case DType::kIQ4_NL:
      return {4, 0, 32, kHalf, false, true, 0, formats::kIq4Values, 128};
    case DType::kIQ4_XS:
      return {4, 0, 32, kSuper, false, true, 0, formats::kIq4Values, 128};
    case DType::kMXFP4:
      return {4, 0, 32, kFloat, false, false, 12, kMxfp4Shifted, 24};
    default:
      return {};
  }
}

// Bytes of a panel of any weight type. Float weights keep their bits: [inner][32 columns], bf16 in
// pairs of elements [inner / 2][32 columns][2], as tiles and dot products read them.
template <DType kType>
[[gnu::always_inline]] constexpr int64_t PanelBytesOf(int64_t inner) {
  switch (kType) {
    case DType::kF32:
      return inner * kPanelColumns * 4;
    case DType::kF16:
      return inner * kPanelColumns * 2;
    case DType::kBF16:
      return (inner + 1) / 2 * kPanelColumns * 4;
    default:
      return FormatOf<kType>().PanelBytes(inner);
  }
}

}  // namespace infer::simd
