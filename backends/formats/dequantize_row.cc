// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/dequantize_row.h"

#include <array>
#include <iterator>

#include "backends/formats/weight_types.h"

namespace infer::formats {
std::span<const DType> WeightTypes() {
  static constexpr auto kTypes = [] {
    std::array<DType, std::size(kWeightTypes)> types{};
    for (size_t i = 0; i < types.size(); ++i) types[i] = kWeightTypes[i].dtype;
    return types;
  }();
  return kTypes;
}

uint64_t RowBytes(DType dtype, int64_t columns) {
  const DTypeInfo& info = Info(dtype);
  return static_cast<uint64_t>(columns) / info.block_elements * info.block_bytes;
}

void DequantizeRow(DType dtype, const std::byte* row, int64_t columns, float* out) {
  for (const WeightType& type : kWeightTypes) {
    if (type.dtype == dtype) return type.to_f32(row, columns, out);
  }
}

}  // namespace infer::formats
