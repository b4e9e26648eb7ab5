// SPDX-License-Identifier: Apache-2.0
#include "frontends/family/model_weights.h"

#include <cstring>
#include <span>

#include "absl/strings/escaping.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer {
const WeightInfo* ModelWeights::Find(const std::string& name, const Shape& shape) {
  used_.insert(name);
  const WeightInfo* weight = source_.Find(name);
  std::string_view file = source_.model_ref().files[0].name;
  if (weight == nullptr) {
    builder_.Fail(absl::InvalidArgumentError(
        StrCat(file, ": tensor ", name, " is missing; expected shape ", ToString(shape))));
  } else if (TypeOf(*weight).shape != shape) {
    builder_.Fail(absl::InvalidArgumentError(StrCat(file, ": tensor ", name, " has shape ",
                                                    ToString(TypeOf(*weight).shape),
                                                    ", the metadata asks for ", ToString(shape))));
    return nullptr;
  }
  return weight;
}

Value ModelWeights::Matrix(const std::string& name, int64_t rows, int64_t columns) {
  return MatrixOf(name, {rows, columns});
}

Value ModelWeights::Matrices(const std::string& name, int64_t count, int64_t rows,
                             int64_t columns) {
  return MatrixOf(name, {count, rows, columns});
}

Value ModelWeights::MatrixOf(const std::string& name, const Shape& shape) {
  const WeightInfo* weight = Find(name, shape);
  if (weight == nullptr) return {};
  switch (weight->dtype) {
    case DType::kF64:
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
      builder_.Fail(absl::InvalidArgumentError(
          StrCat(source_.model_ref().files[0].name, ": tensor ", name, " is of type ",
                 Name(weight->dtype), ", expected f32, f16, bf16 or a quantised type")));
      return {};
    default:
      break;
  }
  builder_.In("");
  return ops::WeightRef(builder_, name, ValueType::Tensor(weight->dtype, shape));
}

Value ModelWeights::Vector(const std::string& name, int64_t elements) {
  const WeightInfo* weight = Find(name, {elements});
  if (weight == nullptr) return {};
  if (weight->dtype != DType::kF32) {
    builder_.Fail(absl::InvalidArgumentError(
        StrCat(source_.model_ref().files[0].name, ": tensor ", name, " is of type ",
               Name(weight->dtype), ", expected f32: norms and biases are never quantised")));
    return {};
  }
  builder_.In("");
  return ops::WeightRef(builder_, name, ValueType::F32({elements}));
}

std::vector<double> ModelWeights::Numbers(const std::string& name, int64_t elements) {
  const WeightInfo* weight = Find(name, {elements});
  if (weight == nullptr) return {};
  if (weight->dtype != DType::kF32) {
    builder_.Fail(
        absl::InvalidArgumentError(StrCat(source_.model_ref().files[0].name, ": tensor ", name,
                                          " is of type ", Name(weight->dtype), ", expected f32")));
    return {};
  }
  const std::span<const std::byte> bytes = source_.Data(*weight);
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return {numbers.begin(), numbers.end()};
}

absl::Status ModelWeights::CheckAllUsed(std::string_view model) const {
  for (const WeightInfo& weight : source_.weights()) {
    if (used_.contains(weight.name)) continue;
    return absl::InvalidArgumentError(
        StrCat(source_.model_ref().files[0].name, ": tensor ", absl::CHexEscape(weight.name),
               " is not part of a ", model, " of this many layers; expected no further tensors"));
  }
  return absl::OkStatus();
}

}  // namespace infer
