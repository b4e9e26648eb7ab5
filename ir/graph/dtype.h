// SPDX-License-Identifier: Apache-2.0
//
// Element types: every type a GGUF file can hold, by name, file id and block size.
#pragma once

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

const DTypeInfo& Info(DType dtype);
std::span<const DTypeInfo> AllDTypes();

std::optional<DType> FindDType(std::string_view name);
std::optional<DType> DTypeFromGguf(uint32_t gguf_id);
// The name of a type id that GGUF files once had and the format has since withdrawn, or nullptr.
const char* RemovedGgufTypeName(uint32_t gguf_id);

inline std::string_view Name(DType dtype) { return Info(dtype).name; }
inline double BytesPerElement(DType dtype) {
  return static_cast<double>(Info(dtype).block_bytes) / Info(dtype).block_elements;
}
inline bool IsQuantized(DType dtype) { return Info(dtype).block_elements > 1; }

// Bytes of `elements` values; nullopt if they are not whole blocks or the size does not fit.
std::optional<uint64_t> BytesFor(DType dtype, uint64_t elements);

}  // namespace infer
