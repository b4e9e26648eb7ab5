// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/dtype.h"

#include <cstddef>

#include "ir/base/checked_math.h"

namespace infer {
std::optional<DType> FindDType(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

std::optional<DType> DTypeFromGguf(uint32_t gguf_id) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.gguf_id == gguf_id) return info.dtype;
  }
  return std::nullopt;
}

const char* RemovedGgufTypeName(uint32_t gguf_id) {
  switch (gguf_id) {
    case 4:
      return "q4_2";
    case 5:
      return "q4_3";
    case 31:
      return "q4_0_4_4";
    case 32:
      return "q4_0_4_8";
    case 33:
      return "q4_0_8_8";
    case 36:
      return "iq4_nl_4_4";
    case 37:
      return "iq4_nl_4_8";
    case 38:
      return "iq4_nl_8_8";
    default:
      return nullptr;
  }
}

std::optional<uint64_t> BytesFor(DType dtype, uint64_t elements) {
  const DTypeInfo& info = Info(dtype);
  if (elements % info.block_elements != 0) return std::nullopt;
  return CheckedMul(elements / info.block_elements, info.block_bytes);
}

}  // namespace infer
