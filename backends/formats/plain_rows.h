// SPDX-License-Identifier: Apache-2.0
//
// Types without blocks: each element is stored as a number of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace infer::formats {

void DequantizeF32(const std::byte* row, int64_t columns, float* out);
void DequantizeF16(const std::byte* row, int64_t columns, float* out);
void DequantizeBF16(const std::byte* row, int64_t columns, float* out);

}  // namespace infer::formats
