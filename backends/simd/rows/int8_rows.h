// SPDX-License-Identifier: Apache-2.0
//
// ActivationForm::kInt8Rows: rows of int8 with a scale per 32 elements, and the sums that weights
// with a minimum need.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd::INFER_SIMD_LEVEL {

extern const ActivationMaker kInt8RowsMaker;
extern const ActivationMaker kRowMakers[kNumActivationForms];

namespace {

struct Int8Row {
  const int8_t* quants;             // [inner]
  const float* scales;              // [inner / 32]
  const float* sums;                // [inner / 32], of scale * quant
  const float* sums_of_16;          // [inner / 16]
  const int32_t* quant_sums;        // [inner / 32]
  const int32_t* quant_sums_of_16;  // [inner / 16]
};

constexpr int64_t RoundUp64(int64_t bytes) { return (bytes + 63) / 64 * 64; }
constexpr int64_t Int8RowBytes(int64_t inner) {
  return RoundUp64(inner) + RoundUp64(inner / 32 * 28);
}

inline Int8Row Int8RowAt(const std::byte* rows, int64_t inner, int64_t row) {
  const std::byte* base = rows + row * Int8RowBytes(inner);
  const float* scales = reinterpret_cast<const float*>(base + RoundUp64(inner));
  const int64_t blocks = inner / 32;
  const int32_t* quant_sums = reinterpret_cast<const int32_t*>(scales + 4 * blocks);
  return {reinterpret_cast<const int8_t*>(base),
          scales,
          scales + blocks,
          scales + 2 * blocks,
          quant_sums,
          quant_sums + blocks};
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
