// SPDX-License-Identifier: Apache-2.0
//
// Hand-written Protocol Buffers encoding, for messages that are created too often for message
// classes: a slice is two packets of about 20 to 90 bytes, most of which are copied from its label.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace infer {

inline constexpr int kMaxVarintBytes = 10;

inline int VarintBytes(uint64_t value) { return (std::bit_width(value | 1) + 6) / 7; }

// Writes at `at`, which must have room, and returns the position after it.
inline char* PutVarint(uint64_t value, char* at) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

// Writes a numeric field: any type but sint, fixed, float and double.
inline char* PutNumber(int field, uint64_t value, char* at) {
  return PutVarint(value, PutVarint(static_cast<uint64_t>(field) << 3, at));
}
inline int NumberBytes(int field, uint64_t value) {
  return VarintBytes(static_cast<uint64_t>(field) << 3) + VarintBytes(value);
}

// Writes the header of a string or message field of `bytes` bytes, which follow. The header is as
// long as a numeric field of that value.
inline char* PutHead(int field, uint64_t bytes, char* at) {
  return PutVarint(bytes, PutVarint(static_cast<uint64_t>(field) << 3 | 2, at));
}

inline void AppendNumber(int field, uint64_t value, std::string* out) {
  char buffer[2 * kMaxVarintBytes];
  out->append(buffer, PutNumber(field, value, buffer) - buffer);
}

inline void AppendBytes(int field, std::string_view bytes, std::string* out) {
  char buffer[2 * kMaxVarintBytes];
  out->append(buffer, PutHead(field, bytes.size(), buffer) - buffer);
  out->append(bytes);
}

}  // namespace infer
