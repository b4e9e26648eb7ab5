// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/rows/int8_rows.h"

#include "backends/simd/isa/vec.h"
#include "backends/simd/vector/quantize.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

uint64_t Bytes(int64_t tokens, int64_t inner) {
  return static_cast<uint64_t>(tokens * Int8RowBytes(inner));
}

// A row is divided among threads: decoding waits for this and nothing else.
constexpr int64_t kUnitBlocks = 16;
int64_t UnitsOfRow(int64_t inner) { return (inner / 32 + kUnitBlocks - 1) / kUnitBlocks; }

int64_t Units(int64_t tokens, int64_t inner) { return tokens * UnitsOfRow(inner); }

void PrepareBlocks(const float* x, int64_t blocks, int64_t begin, int64_t end, std::byte* row) {
  int8_t* quants = reinterpret_cast<int8_t*>(row);
  float* scales = reinterpret_cast<float*>(row + RoundUp64(blocks * 32));
  int32_t* quant_sums = reinterpret_cast<int32_t*>(scales + 4 * blocks);
  for (int64_t b = begin; b < end; ++b) {
    const RoundedBlock block = RoundBlock(x + b * 32);
    for (int i = 0; i < 32; ++i) quants[b * 32 + i] = block.quants[i];
    scales[b] = block.scale;
    scales[blocks + b] = block.sums[0] + block.sums[1];
    scales[2 * blocks + 2 * b] = block.sums[0];
    scales[2 * blocks + 2 * b + 1] = block.sums[1];
    quant_sums[b] = block.counts[0] + block.counts[1];
    quant_sums[blocks + 2 * b] = block.counts[0];
    quant_sums[blocks + 2 * b + 1] = block.counts[1];
  }
}

void Prepare(const float* x, int64_t, int64_t inner, int64_t begin, int64_t end, std::byte* out) {
  const int64_t blocks = inner / 32, units = UnitsOfRow(inner);
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t row = unit / units, first = unit % units * kUnitBlocks;
    const int64_t last = blocks - first < kUnitBlocks ? blocks : first + kUnitBlocks;
    PrepareBlocks(x + row * inner, blocks, first, last, out + row * Int8RowBytes(inner));
  }
}

}  // namespace

constinit const ActivationMaker kInt8RowsMaker = {
    .bytes = Bytes, .units = Units, .prepare = Prepare};

// In the order of ActivationForm.
constinit const ActivationMaker kRowMakers[kNumActivationForms] = {
    {}, {.bytes = Bytes, .units = Units, .prepare = Prepare}, {}, {}, {}, {}};

}  // namespace infer::simd::INFER_SIMD_LEVEL
