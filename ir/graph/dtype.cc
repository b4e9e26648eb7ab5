// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/dtype.h"

#include <cstddef>

#include "ir/base/checked_math.h"

namespace infer {
namespace {

// In the order of the enumerators: Info() indexes by them, and a test compares the two.
constexpr DTypeInfo kTypes[] = {
    {DType::kF32, "f32", 0, 1, 4},
    {DType::kF16, "f16", 1, 1, 2},
    {DType::kBF16, "bf16", 30, 1, 2},
    {DType::kF64, "f64", 28, 1, 8},
    {DType::kI8, "i8", 24, 1, 1},
    {DType::kI16, "i16", 25, 1, 2},
    {DType::kI32, "i32", 26, 1, 4},
    {DType::kI64, "i64", 27, 1, 8},
    {DType::kQ4_0, "q4_0", 2, 32, 18},
    {DType::kQ4_1, "q4_1", 3, 32, 20},
    {DType::kQ5_0, "q5_0", 6, 32, 22},
    {DType::kQ5_1, "q5_1", 7, 32, 24},
    {DType::kQ8_0, "q8_0", 8, 32, 34},
    {DType::kQ8_1, "q8_1", 9, 32, 36},
    {DType::kQ2_K, "q2_k", 10, 256, 84},
    {DType::kQ3_K, "q3_k", 11, 256, 110},
    {DType::kQ4_K, "q4_k", 12, 256, 144},
    {DType::kQ5_K, "q5_k", 13, 256, 176},
    {DType::kQ6_K, "q6_k", 14, 256, 210},
    {DType::kQ8_K, "q8_k", 15, 256, 292},
    {DType::kIQ1_S, "iq1_s", 19, 256, 50},
    {DType::kIQ1_M, "iq1_m", 29, 256, 56},
    {DType::kIQ2_XXS, "iq2_xxs", 16, 256, 66},
    {DType::kIQ2_XS, "iq2_xs", 17, 256, 74},
    {DType::kIQ2_S, "iq2_s", 22, 256, 82},
    {DType::kIQ3_XXS, "iq3_xxs", 18, 256, 98},
    {DType::kIQ3_S, "iq3_s", 21, 256, 110},
    {DType::kIQ4_NL, "iq4_nl", 20, 32, 18},
    {DType::kIQ4_XS, "iq4_xs", 23, 256, 136},
    {DType::kTQ1_0, "tq1_0", 34, 256, 54},
    {DType::kTQ2_0, "tq2_0", 35, 256, 66},
    {DType::kMXFP4, "mxfp4", 39, 32, 17},
    {DType::kNVFP4, "nvfp4", 40, 64, 36},
    {DType::kQ1_0, "q1_0", 41, 128, 18},
    {DType::kQ2_0, "q2_0", 42, 64, 18},
};

}  // namespace

const DTypeInfo& Info(DType dtype) { return kTypes[static_cast<size_t>(dtype)]; }

std::span<const DTypeInfo> AllDTypes() { return kTypes; }

std::optional<DType> FindDType(std::string_view name) {
  for (const DTypeInfo& info : kTypes) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

std::optional<DType> DTypeFromGguf(uint32_t gguf_id) {
  for (const DTypeInfo& info : kTypes) {
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
