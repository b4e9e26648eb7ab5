// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/value.h"

#include <algorithm>
#include <array>

#include "frontends/gguf/limits.h"
#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

struct TypeInfo {
  std::string_view name;
  uint64_t min_bytes;
};

// By type id. The minimum of a string is its length field; that of an array is element type and
// count.
constexpr std::array<TypeInfo, kGgufTypeCount> kTypes = {{{"u8", 1},
                                                          {"i8", 1},
                                                          {"u16", 2},
                                                          {"i16", 2},
                                                          {"u32", 4},
                                                          {"i32", 4},
                                                          {"f32", 4},
                                                          {"bool", 1},
                                                          {"string", 8},
                                                          {"array", 12},
                                                          {"u64", 8},
                                                          {"i64", 8},
                                                          {"f64", 8}}};

template <class Stored, class Held>
absl::StatusOr<GgufValue> ReadNumber(ByteCursor& cursor, GgufType type) {
  GgufValue value{type, cursor.offset(), {}};
  ASSIGN_OR_RETURN(const Stored number, cursor.Read<Stored>("value"));
  value.data = static_cast<Held>(number);
  return value;
}

absl::StatusOr<GgufValue> ReadBool(ByteCursor& cursor) {
  GgufValue value{GgufType::kBool, cursor.offset(), {}};
  ASSIGN_OR_RETURN(const uint8_t byte, cursor.Read<uint8_t>("value"));
  if (byte > 1) {
    return cursor.Invalid(value.offset, StrCat("bool is ", int{byte}, ", expected 0 or 1"));
  }
  value.data = byte == 1;
  return value;
}

absl::Status WalkElements(ByteCursor& cursor, const GgufArray& array, const ValueLimits& limits,
                          int depth) {
  if (array.element_type == GgufType::kString) {
    return cursor.ReadStrings(array.count, limits.max_string_bytes, nullptr);
  }
  for (uint64_t i = 0; i < array.count; ++i) {
    if (depth == 1) cursor.set_element(i);
    RETURN_IF_ERROR(ReadValue(cursor, array.element_type, limits, depth).status());
  }
  cursor.clear_element();
  return absl::OkStatus();
}

absl::Status TakeBools(ByteCursor& cursor, uint64_t count) {
  const uint64_t at = cursor.offset();
  ASSIGN_OR_RETURN(const std::span<const std::byte> bools, cursor.Take(count, "array"));
  const auto bad =
      std::find_if(bools.begin(), bools.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad == bools.end()) return absl::OkStatus();
  const auto index = static_cast<uint64_t>(bad - bools.begin());
  cursor.set_element(index);
  return cursor.Invalid(at + index,
                        StrCat("bool is ", static_cast<int>(*bad), ", expected 0 or 1"));
}

bool HasFixedBytes(GgufType type) { return type != GgufType::kString && type != GgufType::kArray; }

absl::StatusOr<GgufValue> ReadArray(ByteCursor& cursor, const ValueLimits& limits, int depth) {
  GgufValue value{GgufType::kArray, cursor.offset(), {}};
  if (depth > limits.max_array_depth) {
    return cursor.Invalid(value.offset, StrCat("arrays are nested ", depth,
                                               " deep, expected at most ", limits.max_array_depth));
  }
  GgufArray array;
  ASSIGN_OR_RETURN(array.element_type, ReadValueType(cursor, "array element type"));
  const uint64_t count_offset = cursor.offset();
  ASSIGN_OR_RETURN(array.count, cursor.Read<uint64_t>("array length"));
  if (array.count > limits.max_array_elements) {
    return cursor.Invalid(count_offset, StrCat("array has ", array.count, " elements of type ",
                                               Name(array.element_type), ", expected at most ",
                                               limits.max_array_elements));
  }
  // Cannot overflow: at most 16 Mi elements of at most 12 bytes.
  const uint64_t min_bytes = array.count * MinBytes(array.element_type);
  if (min_bytes > cursor.bytes_left()) {
    return cursor.CutShort(min_bytes, StrCat("array of ", array.count, " elements of type ",
                                             Name(array.element_type)));
  }
  array.offset = cursor.offset();
  if (array.element_type == GgufType::kBool) {
    RETURN_IF_ERROR(TakeBools(cursor, array.count));
  } else if (HasFixedBytes(array.element_type)) {
    RETURN_IF_ERROR(cursor.Take(min_bytes, "array").status());
  } else {
    RETURN_IF_ERROR(WalkElements(cursor, array, limits, depth));
  }
  array.bytes = cursor.Since(array.offset);
  value.data = array;
  return value;
}

}  // namespace

std::string_view Name(GgufType type) { return kTypes[static_cast<uint32_t>(type)].name; }

uint64_t MinBytes(GgufType type) { return kTypes[static_cast<uint32_t>(type)].min_bytes; }

ValueLimits LimitsForKey(std::string_view key) {
  ValueLimits limits = {gguf_limits::kMaxStringBytes, gguf_limits::kMaxArrayElements,
                        gguf_limits::kMaxArrayDepth};
  for (std::string_view prefix : {"general.", "tokenizer.", "split."}) {
    if (key.starts_with(prefix)) limits.max_array_depth = 1;
  }
  if (key.starts_with("tokenizer.chat_template")) {
    limits.max_string_bytes = gguf_limits::kMaxTemplateBytes;
  } else if (key == "tokenizer.ggml.tokens") {
    limits.max_string_bytes = gguf_limits::kMaxTokenBytes;
    limits.max_array_elements = gguf_limits::kMaxTokens;
  } else if (key == "tokenizer.ggml.merges") {
    limits.max_string_bytes = gguf_limits::kMaxMergeBytes;
    limits.max_array_elements = gguf_limits::kMaxTokens;
  }
  return limits;
}

absl::StatusOr<GgufType> ReadValueType(ByteCursor& cursor, std::string_view what) {
  const uint64_t at = cursor.offset();
  ASSIGN_OR_RETURN(const uint32_t id, cursor.Read<uint32_t>(what));
  if (id >= kGgufTypeCount) {
    return cursor.Invalid(at, StrCat(what, " is ", id, ", expected 0 (u8) to 12 (f64)"));
  }
  return static_cast<GgufType>(id);
}

absl::StatusOr<GgufValue> ReadValue(ByteCursor& cursor, GgufType type, const ValueLimits& limits,
                                    int depth) {
  switch (type) {
    case GgufType::kU8:
      return ReadNumber<uint8_t, uint64_t>(cursor, type);
    case GgufType::kI8:
      return ReadNumber<int8_t, int64_t>(cursor, type);
    case GgufType::kU16:
      return ReadNumber<uint16_t, uint64_t>(cursor, type);
    case GgufType::kI16:
      return ReadNumber<int16_t, int64_t>(cursor, type);
    case GgufType::kU32:
      return ReadNumber<uint32_t, uint64_t>(cursor, type);
    case GgufType::kI32:
      return ReadNumber<int32_t, int64_t>(cursor, type);
    case GgufType::kF32:
      return ReadNumber<float, double>(cursor, type);
    case GgufType::kBool:
      return ReadBool(cursor);
    case GgufType::kString: {
      GgufValue value{type, cursor.offset(), {}};
      ASSIGN_OR_RETURN(value.data, cursor.ReadString("string", limits.max_string_bytes));
      return value;
    }
    case GgufType::kArray:
      return ReadArray(cursor, limits, depth + 1);
    case GgufType::kU64:
      return ReadNumber<uint64_t, uint64_t>(cursor, type);
    case GgufType::kI64:
      return ReadNumber<int64_t, int64_t>(cursor, type);
    case GgufType::kF64:
      return ReadNumber<double, double>(cursor, type);
  }
  return cursor.Invalid(cursor.offset(), "value type is unknown");
}

absl::StatusOr<std::vector<GgufValue>> ArrayElements(std::string_view file, const GgufArray& array,
                                                     uint64_t max_elements) {
  ByteCursor cursor(file, array.bytes, array.offset);
  cursor.set_place("array");
  const uint64_t count = std::min(array.count, max_elements);
  std::vector<GgufValue> elements;
  elements.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    cursor.set_element(i);
    ASSIGN_OR_RETURN(elements.emplace_back(),
                     ReadValue(cursor, array.element_type, LimitsForKey(""), 1));
  }
  return elements;
}

}  // namespace infer
