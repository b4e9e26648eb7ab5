// SPDX-License-Identifier: Apache-2.0
//
// The record of each weight type. The rows of `linear` and `embed` in the kernel tables of scalar
// and simd are generated from this list.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/formats/k_blocks.h"
#include "backends/formats/plain_rows.h"
#include "backends/formats/simple_blocks.h"
#include "backends/formats/table_blocks.h"
#include "ir/graph/dtype.h"

namespace infer::formats {

struct WeightType {
  DType dtype;
  // Writes a row's elements to out[0, columns) as floats.
  void (*to_f32)(const std::byte* row, int64_t columns, float* out);
};

template <class Block>
void DequantizeBlocks(const std::byte* row, int64_t columns, float* out) {
  static_assert(alignof(Block) == 1);  // rows may have any alignment
  const Block* blocks = reinterpret_cast<const Block*>(row);
  for (int64_t i = 0; i < columns / Block::kElements; ++i) {
    Dequantize(blocks[i], out + i * Block::kElements);
  }
}

template <DType kType, class Block>
constexpr WeightType InBlocks() {
  static_assert(Block::kElements == Info(kType).block_elements);
  static_assert(sizeof(Block) == Info(kType).block_bytes);
  return {kType, DequantizeBlocks<Block>};
}

// All types that Qwen3 files use.
inline constexpr WeightType kWeightTypes[] = {
    {DType::kF32, DequantizeF32},
    {DType::kF16, DequantizeF16},
    {DType::kBF16, DequantizeBF16},
    InBlocks<DType::kQ8_0, BlockQ8_0>(),
    InBlocks<DType::kQ4_0, BlockQ4_0>(),
    InBlocks<DType::kQ4_1, BlockQ4_1>(),
    InBlocks<DType::kQ5_0, BlockQ5_0>(),
    InBlocks<DType::kQ5_1, BlockQ5_1>(),
    InBlocks<DType::kQ2_K, BlockQ2_K>(),
    InBlocks<DType::kQ3_K, BlockQ3_K>(),
    InBlocks<DType::kQ4_K, BlockQ4_K>(),
    InBlocks<DType::kQ5_K, BlockQ5_K>(),
    InBlocks<DType::kQ6_K, BlockQ6_K>(),
    InBlocks<DType::kIQ4_NL, BlockIQ4_NL>(),
    InBlocks<DType::kIQ4_XS, BlockIQ4_XS>(),
    InBlocks<DType::kMXFP4, BlockMXFP4>(),
};

}  // namespace infer::formats
