// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace infer {

// Kinds of bytes that patterns usually treat alike. Where a state of a pattern stays the same for
// all kinds of bytes below a node of a TokenTrie, all tokens below it are allowed without a look at
// each. The bits of kPlainKinds are characters that stand for themselves in a JSON string.
enum ByteKind : uint8_t {
  kLowerCase = 1,
  kUpperCase = 2,
  kDigit = 4,
  kUnderscore = 8,
  kDash = 16,
  kDot = 32,
  kOtherPrintable = 64,  // with the space
  kNotPlain = 128,       // quotes, backslashes, control characters, all beyond ASCII
  kPlainKinds = 127,
};

inline uint8_t KindOfByte(uint8_t byte) {
  if (byte >= 'a' && byte <= 'z') return kLowerCase;
  if (byte >= 'A' && byte <= 'Z') return kUpperCase;
  if (byte >= '0' && byte <= '9') return kDigit;
  if (byte == '_') return kUnderscore;
  if (byte == '-') return kDash;
  if (byte == '.') return kDot;
  if (byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\') return kOtherPrintable;
  return kNotPlain;
}

}  // namespace infer
