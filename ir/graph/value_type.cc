// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/value_type.h"

#include "ir/base/checked_math.h"
#include "ir/base/strings.h"

namespace infer {

std::string ToString(const ValueType& type) {
  std::string tensor = StrCat(Name(type.tensor.dtype), ToString(type.tensor.shape));
  switch (type.kind) {
    case TypeKind::kTensor:
      return tensor;
    case TypeKind::kBatch:
      return "batch";
    case TypeKind::kKv:
      return StrCat("kv<", tensor, ">");
  }
  return tensor;
}

std::optional<uint64_t> BytesAt(const TensorType& type, const SymbolValues& values) {
  std::optional<uint64_t> elements = 1;
  for (Dim dim : type.shape) {
    elements = CheckedMul(*elements, static_cast<uint64_t>(dim.At(values)));
    if (!elements) return std::nullopt;
  }
  if (type.rank() > 0) {
    int64_t row_elements = type.dim(-1).At(values);
    if (row_elements % Info(type.dtype).block_elements != 0) return std::nullopt;
  }
  return BytesFor(type.dtype, *elements);
}

SymbolicCount CountBytes(const ValueType& type) {
  if (!type.is_tensor()) return {};
  const DTypeInfo& info = Info(type.tensor.dtype);
  double bytes_per_element = static_cast<double>(info.block_bytes) / info.block_elements;
  return bytes_per_element * CountElements(type.tensor.shape).value_or(SymbolicCount{});
}

}  // namespace infer
