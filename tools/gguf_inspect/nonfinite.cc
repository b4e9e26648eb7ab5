// SPDX-License-Identifier: Apache-2.0
#include "tools/gguf_inspect/nonfinite.h"

#include <cstring>

namespace infer {
namespace {

// A float is not finite if all bits of its exponent are set; it is then NaN unless the other bits
// are 0.
template <class Bits>
NonFinite Scan(std::span<const std::byte> data, size_t stride_bytes, Bits exponent, Bits fraction) {
  NonFinite found;
  const size_t count = data.size() / stride_bytes;
  for (size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, data.data() + i * stride_bytes, sizeof(bits));
    if ((bits & exponent) != exponent) continue;
    if (found.count++ > 0) continue;
    found.first_index = i;
    found.first_is_nan = (bits & fraction) != 0;
  }
  return found;
}

}  // namespace

bool CanScan(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 ||
         dtype == DType::kF64 || dtype == DType::kQ8_0;
}

std::string_view ScannedUnit(DType dtype) {
  return IsQuantized(dtype) ? "scale of block" : "element";
}

NonFinite FindNonFinite(DType dtype, std::span<const std::byte> data) {
  const size_t stride_bytes = Info(dtype).block_bytes;
  switch (dtype) {
    case DType::kF32:
      return Scan<uint32_t>(data, stride_bytes, 0x7f800000, 0x007fffff);
    case DType::kF64:
      return Scan<uint64_t>(data, stride_bytes, 0x7ff0000000000000, 0x000fffffffffffff);
    case DType::kBF16:
      return Scan<uint16_t>(data, stride_bytes, 0x7f80, 0x007f);
    case DType::kF16:
    case DType::kQ8_0:  // a block begins with its f16 scale
      return Scan<uint16_t>(data, stride_bytes, 0x7c00, 0x03ff);
    default:
      return {};
  }
}

}  // namespace infer
