// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/dequantize_row.h"

#include <array>
#include <iterator>

#include "backends/formats/k_blocks.h"
#include "backends/formats/plain_rows.h"
#include "backends/formats/simple_blocks.h"
#include "backends/formats/table_blocks.h"

namespace infer::formats {
namespace {

struct Format {
  DType dtype;
  void (*dequantize)(const std::byte* row, int64_t columns, float* out);
};

template <class Block>
void Blocks(const std::byte* row, int64_t columns, float* out) {
  static_assert(alignof(Block) == 1);  // rows may begin anywhere
  const Block* blocks = reinterpret_cast<const Block*>(row);
  for (int64_t i = 0; i < columns / Block::kElements; ++i) {
    Dequantize(blocks[i], out + i * Block::kElements);
  }
}

constexpr Format kFormats[] = {
    {DType::kF32, DequantizeF32},          {DType::kF16, DequantizeF16},
    {DType::kBF16, DequantizeBF16},        {DType::kQ8_0, Blocks<BlockQ8_0>},
    {DType::kQ4_0, Blocks<BlockQ4_0>},     {DType::kQ4_1, Blocks<BlockQ4_1>},
    {DType::kQ5_0, Blocks<BlockQ5_0>},     {DType::kQ5_1, Blocks<BlockQ5_1>},
    {DType::kQ2_K, Blocks<BlockQ2_K>},     {DType::kQ3_K, Blocks<BlockQ3_K>},
    {DType::kQ4_K, Blocks<BlockQ4_K>},     {DType::kQ5_K, Blocks<BlockQ5_K>},
    {DType::kQ6_K, Blocks<BlockQ6_K>},     {DType::kIQ4_NL, Blocks<BlockIQ4_NL>},
    {DType::kIQ4_XS, Blocks<BlockIQ4_XS>}, {DType::kMXFP4, Blocks<BlockMXFP4>},
};

}  // namespace

std::span<const DType> WeightTypes() {
  static constexpr auto kTypes = [] {
    std::array<DType, std::size(kFormats)> types{};
    for (size_t i = 0; i < types.size(); ++i) types[i] = kFormats[i].dtype;
    return types;
  }();
  return kTypes;
}

uint64_t RowBytes(DType dtype, int64_t columns) {
  const DTypeInfo& info = Info(dtype);
  return static_cast<uint64_t>(columns) / info.block_elements * info.block_bytes;
}

void DequantizeRow(DType dtype, const std::byte* row, int64_t columns, float* out) {
  for (const Format& format : kFormats) {
    if (format.dtype == dtype) return format.dequantize(row, columns, out);
  }
}

}  // namespace infer::formats
