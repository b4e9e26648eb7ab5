// SPDX-License-Identifier: Apache-2.0
//
// Rows of weights as they lie in a GGUF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/dtype.h"

namespace infer::scalar {

// The types that WidenRow reads.
std::span<const DType> WeightTypes();

uint64_t WeightRowBytes(DType dtype, int64_t columns);

// Writes a row's elements to out[0, columns) as floats, exactly as the format defines them. `row`
// needs no alignment.
void WidenRow(DType dtype, const std::byte* row, int64_t columns, float* out);

}  // namespace infer::scalar
