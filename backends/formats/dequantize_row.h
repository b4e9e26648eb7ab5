// SPDX-License-Identifier: Apache-2.0
//
// Rows of weights as stored in a GGUF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/graph/dtype.h"

namespace infer::formats {

// Returns the types that DequantizeRow reads: all those that Qwen3 files use.
std::span<const DType> WeightTypes();

// `columns` must be whole blocks.
uint64_t RowBytes(DType dtype, int64_t columns);

// Writes a row's elements to out[0, columns) as floats, exactly as the format defines them. `row`
// needs no alignment; any bytes give some floats. Writes nothing for a type that is not in
// WeightTypes().
void DequantizeRow(DType dtype, const std::byte* row, int64_t columns, float* out);

}  // namespace infer::formats
