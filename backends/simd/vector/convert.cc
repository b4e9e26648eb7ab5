// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/simple_blocks.h"
#include "backends/simd/isa/vec.h"
#include "backends/simd/vector/functions.h"
#include "backends/simd/vector/quantize.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

using formats::BlockQ8_0;

uint16_t ToHalf(float x) {
  uint16_t halves[kLanes];
  StoreHalf(halves, Broadcast(x));
  return halves[0];
}

float FromHalf(uint16_t half) {
  uint16_t halves[kLanes] = {half};
  float floats[kLanes];
  Store(floats, LoadHalf(halves));
  return floats[0];
}

}  // namespace

void ToHalfRow(const float* x, int64_t n, uint16_t* out) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) StoreHalf(out + i, Load(x + i));
  for (; i < n; ++i) out[i] = ToHalf(x[i]);
}

void FromHalfRow(const uint16_t* x, int64_t n, float* out) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) Store(out + i, LoadHalf(x + i));
  for (; i < n; ++i) out[i] = FromHalf(x[i]);
}

void ToQ8_0Row(const float* x, int64_t n, void* out) {
  BlockQ8_0* blocks = static_cast<BlockQ8_0*>(out);
  for (int64_t i = 0; i < n; i += BlockQ8_0::kElements) {
    BlockQ8_0& block = blocks[i / BlockQ8_0::kElements];
    const uint16_t scale = ToHalf(Quantize32(x + i, block.quants));
    block.scale.low = static_cast<uint8_t>(scale);
    block.scale.high = static_cast<uint8_t>(scale >> 8);
  }
}

void FromQ8_0Row(const void* x, int64_t n, float* out) {
  const BlockQ8_0* blocks = static_cast<const BlockQ8_0*>(x);
  for (int64_t i = 0; i < n; i += BlockQ8_0::kElements) {
    const BlockQ8_0& block = blocks[i / BlockQ8_0::kElements];
    const Floats scale =
        Broadcast(FromHalf(static_cast<uint16_t>(block.scale.low | block.scale.high << 8)));
    for (int k = 0; k < BlockQ8_0::kElements; k += kLanes) {
      Store(out + i + k, Mul(LoadInt8(block.quants + k), scale));
    }
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
