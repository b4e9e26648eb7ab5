// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/rows/int8_rows.h"

#include "backends/simd/isa/vec.h"
#include "backends/simd/vector/quantize.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

uint64_t Bytes(int64_t tokens, int64_t inner) {
  return static_cast<uint64_t>(tokens * Int8RowBytes(inner));
}

int64_t Units(int64_t tokens, int64_t /*inner*/) { return tokens; }

void Prepare(const float* x, int64_t, int64_t inner, int64_t begin, int64_t end, std::byte* out) {
  const int64_t blocks = inner / 32;
  for (int64_t row = begin; row < end; ++row) {
    std::byte* base = out + row * Int8RowBytes(inner);
    int8_t* quants = reinterpret_cast<int8_t*>(base);
    float* scales = reinterpret_cast<float*>(base + RoundUp64(inner));
    int32_t* quant_sums = reinterpret_cast<int32_t*>(scales + 4 * blocks);
    for (int64_t b = 0; b < blocks; ++b) {
      const float scale = Quantize32(x + row * inner + b * 32, quants + b * 32);
      const int32_t first = SumInt8x16(quants + b * 32);
      const int32_t second = SumInt8x16(quants + b * 32 + 16);
      const float low = scale * static_cast<float>(first);
      const float high = scale * static_cast<float>(second);
      scales[b] = scale;
      scales[blocks + b] = low + high;
      scales[2 * blocks + 2 * b] = low;
      scales[2 * blocks + 2 * b + 1] = high;
      quant_sums[b] = first + second;
      quant_sums[blocks + 2 * b] = first;
      quant_sums[blocks + 2 * b + 1] = second;
    }
  }
}

}  // namespace

constinit const ActivationMaker kInt8RowsMaker = {
    .bytes = Bytes, .units = Units, .prepare = Prepare};

// In the order of ActivationForm.
constinit const ActivationMaker kRowMakers[kNumActivationForms] = {
    {}, {}, {.bytes = Bytes, .units = Units, .prepare = Prepare}, {}, {}};

}  // namespace infer::simd::INFER_SIMD_LEVEL
