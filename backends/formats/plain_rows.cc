// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/plain_rows.h"

#include <cstring>

#include "backends/formats/half_bits.h"
#include "runtime/half.h"

namespace infer::formats {
namespace {

uint16_t LoadU16(const std::byte* bytes) {
  uint16_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

void DequantizeF32(const std::byte* row, int64_t columns, float* out) {
  std::memcpy(out, row, static_cast<size_t>(columns) * sizeof(float));
}

void DequantizeF16(const std::byte* row, int64_t columns, float* out) {
  for (int64_t i = 0; i < columns; ++i) out[i] = WidenHalf(LoadU16(row + 2 * i));
}

void DequantizeBF16(const std::byte* row, int64_t columns, float* out) {
  for (int64_t i = 0; i < columns; ++i) out[i] = BF16ToF32(LoadU16(row + 2 * i));
}

}  // namespace infer::formats
