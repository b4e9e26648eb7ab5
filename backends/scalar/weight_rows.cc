// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/weight_rows.h"

#include <bit>
#include <cstring>

#include "runtime/half.h"

namespace infer::scalar {
namespace {

uint16_t LoadU16(const std::byte* bytes) {
  uint16_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

void WidenF32(const std::byte* row, int64_t columns, float* out) {
  std::memcpy(out, row, static_cast<size_t>(columns) * sizeof(float));
}

// F16ToF32 without branches, so that compilers vectorise it: weights mix normal and subnormal
// halves, and a mispredicted branch for each made a linear of one token four times slower.
float WidenHalf(uint16_t half) {
  const uint32_t magnitude = half & 0x7fffu;
  // Read as a float, a half's exponent is too small by 127 - 15; multiplying is exact, and right
  // for subnormals too.
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  bits |= magnitude >= 0x7c00u ? 0x7f800000u : 0u;  // infinity and NaN
  bits |= magnitude > 0x7c00u ? 0x00400000u : 0u;   // NaNs come out quiet
  return std::bit_cast<float>(bits | static_cast<uint32_t>(half & 0x8000u) << 16);
}

void WidenF16(const std::byte* row, int64_t columns, float* out) {
  for (int64_t i = 0; i < columns; ++i) out[i] = WidenHalf(LoadU16(row + 2 * i));
}

void WidenBF16(const std::byte* row, int64_t columns, float* out) {
  for (int64_t i = 0; i < columns; ++i) out[i] = BF16ToF32(LoadU16(row + 2 * i));
}

// Blocks of 32 elements in 34 bytes: an f16 scale, then a signed byte for each element.
void WidenQ8_0(const std::byte* row, int64_t columns, float* out) {
  constexpr int64_t kBlockElements = 32;
  constexpr int64_t kBlockBytes = 34;
  for (int64_t block = 0; block < columns / kBlockElements; ++block) {
    const std::byte* bytes = row + block * kBlockBytes;
    const float scale = F16ToF32(LoadU16(bytes));
    const int8_t* quants = reinterpret_cast<const int8_t*>(bytes + 2);
    for (int64_t i = 0; i < kBlockElements; ++i) {
      out[block * kBlockElements + i] = scale * static_cast<float>(quants[i]);
    }
  }
}

}  // namespace

std::span<const DType> WeightTypes() {
  static constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBF16, DType::kQ8_0};
  return kTypes;
}

uint64_t WeightRowBytes(DType dtype, int64_t columns) {
  const DTypeInfo& info = Info(dtype);
  return static_cast<uint64_t>(columns) / info.block_elements * info.block_bytes;
}

void WidenRow(DType dtype, const std::byte* row, int64_t columns, float* out) {
  switch (dtype) {
    case DType::kF32:
      return WidenF32(row, columns, out);
    case DType::kF16:
      return WidenF16(row, columns, out);
    case DType::kBF16:
      return WidenBF16(row, columns, out);
    case DType::kQ8_0:
      return WidenQ8_0(row, columns, out);
    default:
      return;  // no kernel accepts another type
  }
}

}  // namespace infer::scalar
