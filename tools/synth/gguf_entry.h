// SPDX-License-Identifier: Apache-2.0
//
// Metadata of a GGUF file in encoded form.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace infer {

// The value types of GGUF that a Qwen3 file uses, with their numbers in the file.
enum class GgufValueType : uint32_t {
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
};

struct GgufEntry {
  std::string key;
  uint32_t type = 0;    // a GgufValueType, or any other number for a value copied from a file
  std::string payload;  // the bytes after the type, as stored in the file
};

GgufEntry Uint32Entry(std::string_view key, uint32_t value);
GgufEntry Float32Entry(std::string_view key, float value);
GgufEntry BoolEntry(std::string_view key, bool value);
GgufEntry StringEntry(std::string_view key, std::string_view value);
GgufEntry StringsEntry(std::string_view key, std::span<const std::string> values);
GgufEntry Int32sEntry(std::string_view key, std::span<const int32_t> values);

void AppendUint32(std::string* out, uint32_t value);
void AppendUint64(std::string* out, uint64_t value);
// Appends the length in 8 bytes, then the text.
void AppendGgufString(std::string* out, std::string_view text);

}  // namespace infer
