// SPDX-License-Identifier: Apache-2.0
//
// Element types: every type a GGUF file can hold, by name, file id and block size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace infer {

enum class DType : uint8_t {
  kF32,
  kF16,
  kBF16,
  kF64,
  kI8,
  kI16,
  kI32,
  kI64,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ8_1,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kQ8_K,
  kIQ1_S,
  kIQ1_M,
  kIQ2_XXS,
  kIQ2_XS,
  kIQ2_S,
  kIQ3_XXS,
  kIQ3_S,
  kIQ4_NL,
  kIQ4_XS,
  kTQ1_0,
  kTQ2_0,
  kMXFP4,
  kNVFP4,
  kQ1_0,
  kQ2_0,
};

// A quantised row is a whole number of blocks; plain types have blocks of one element.
struct DTypeInfo {
  DType dtype;
  std::string_view name;  // lower case, as in text graphs and file names: "q8_0"
  uint32_t gguf_id;
  uint32_t block_elements;
  uint32_t block_bytes;
};

// In the order of the enumerators: Info() indexes by them, and a test compares both.
inline constexpr DTypeInfo kDTypes[] = {
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

constexpr const DTypeInfo& Info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }
constexpr std::span<const DTypeInfo> AllDTypes() { return kDTypes; }

std::optional<DType> FindDType(std::string_view name);
std::optional<DType> DTypeFromGguf(uint32_t gguf_id);
// Returns the name of a type id that the GGUF format has withdrawn, or nullptr.
const char* RemovedGgufTypeName(uint32_t gguf_id);

constexpr std::string_view Name(DType dtype) { return Info(dtype).name; }
inline double BytesPerElement(DType dtype) {
  return static_cast<double>(Info(dtype).block_bytes) / Info(dtype).block_elements;
}
inline bool IsQuantized(DType dtype) { return Info(dtype).block_elements > 1; }

// Returns the bytes of `elements` values; nullopt if they are not whole blocks or the size
// overflows.
std::optional<uint64_t> BytesFor(DType dtype, uint64_t elements);

}  // namespace infer
