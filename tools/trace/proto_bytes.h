// SPDX-License-Identifier: Apache-2.0
//
// Protocol Buffers' encoding by hand, for messages that are made too often for message classes:
// a slice is two packets of some 30 to 80 bytes, most of which are copied from its label.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace infer {

inline void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

inline int VarintBytes(uint64_t value) {
  int bytes = 1;
  while ((value >>= 7) != 0) ++bytes;
  return bytes;
}

// A field that is a number: all types but sint, fixed, float and double.
inline void AppendNumber(int field, uint64_t value, std::string* out) {
  AppendVarint(static_cast<uint64_t>(field) << 3, out);
  AppendVarint(value, out);
}

inline int NumberBytes(int field, uint64_t value) {
  return VarintBytes(static_cast<uint64_t>(field) << 3) + VarintBytes(value);
}

// The head of a field that is a string or a message of so many bytes, which follow.
inline void AppendHead(int field, uint64_t bytes, std::string* out) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | 2, out);
  AppendVarint(bytes, out);
}

inline void AppendBytes(int field, std::string_view bytes, std::string* out) {
  AppendHead(field, bytes.size(), out);
  out->append(bytes);
}

}  // namespace infer
