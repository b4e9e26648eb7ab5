// SPDX-License-Identifier: Apache-2.0
//
// The values of GGUF metadata. Text and arrays stay in the mapped file: a value is a view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/gguf/byte_cursor.h"

namespace infer {

// With the ids that the file uses.
enum class GgufType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};
inline constexpr uint32_t kGgufTypeCount = 13;

std::string_view Name(GgufType type);  // "u8", "string", "array"
// Returns the bytes of a number or a bool, or the minimum for strings and arrays.
uint64_t MinBytes(GgufType type);

// The elements are walked and checked once when the file is opened. Code that walks them again must
// check again, because another process may change the file.
struct GgufArray {
  GgufType element_type = GgufType::kU8;
  uint64_t count = 0;
  std::span<const std::byte> bytes;  // of all elements
  uint64_t offset = 0;               // of the first element in the file
};

struct GgufValue {
  GgufType type = GgufType::kU8;
  uint64_t offset = 0;  // in the file
  // Unsigned and signed integers are widened, f32 is held as double.
  std::variant<uint64_t, int64_t, double, bool, std::string_view, GgufArray> data;
};

// Limits for the value of one key.
struct ValueLimits {
  uint64_t max_string_bytes;
  uint64_t max_array_elements;
  int max_array_depth;
};
ValueLimits LimitsForKey(std::string_view key);

absl::StatusOr<GgufType> ReadValueType(ByteCursor& cursor, std::string_view what);
// Reads and checks a value; arrays are walked to their end.
absl::StatusOr<GgufValue> ReadValue(ByteCursor& cursor, GgufType type, const ValueLimits& limits,
                                    int depth = 0);

// Returns the first `max_elements` elements of an array. `file` is for messages.
absl::StatusOr<std::vector<GgufValue>> ArrayElements(std::string_view file, const GgufArray& array,
                                                     uint64_t max_elements);

}  // namespace infer
