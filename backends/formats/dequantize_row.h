// SPDX-License-Identifier: Apache-2.0
//
// Rows of weights as they lie in a GGUF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/graph/dtype.h"

namespace infer::formats {

// The types that DequantizeRow reads: all that Qwen3 files come in.
std::span<const DType> WeightTypes();

// `columns` are whole blocks.
uint64_t RowBytes(DType dtype, int64_t columns);

// Writes a row's elements to out[0, columns) as floats, exactly as the format defines them. `row`
// needs no alignment; any bytes give some floats. A type that WeightTypes() lacks writes nothing.
void DequantizeRow(DType dtype, const std::byte* row, int64_t columns, float* out);

}  // namespace infer::formats
