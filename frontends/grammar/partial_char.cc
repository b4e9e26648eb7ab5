// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/partial_char.h"

#include <algorithm>

namespace infer {
namespace {

constexpr CodePointRange kEmpty = {1, 0};
constexpr uint32_t kFirstHigh = 0xD800, kFirstLow = 0xDC00, kEndOfSurrogates = 0xE000;
constexpr uint32_t kFirstSupplementary = 0x10000;

int HexDigit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return -1;
}

int ContinuationBytes(PartialChar::Mode mode) {
  if (mode == PartialChar::kUtf8One) return 1;
  return mode == PartialChar::kUtf8Two ? 2 : 3;
}

// `digits` is the length of the whole sequence, which decides what an overlong form is.
CodePointRange Utf8Range(const PartialChar& partial) {
  constexpr uint32_t kLowest[] = {0, 0, 0x80, 0x800, 0x10000};
  constexpr uint32_t kHighest[] = {0, 0, 0x7FF, 0xFFFF, kMaxCodePoint};
  const int shift = 6 * ContinuationBytes(partial.mode);
  const uint32_t low = partial.value << shift;
  const uint32_t high = low | ((1u << shift) - 1);
  return {std::max(low, kLowest[partial.digits]), std::min(high, kHighest[partial.digits])};
}

bool HasScalar(const CodePointRange& range) {
  return range.low <= range.high && !(range.low >= kFirstHigh && range.high < kEndOfSurrogates);
}

CharStep Lead(uint8_t byte, PartialChar* partial) {
  if (byte < 0x80) {
    partial->value = byte;
    return CharStep::kComplete;
  }
  if (byte < 0xC2 || byte > 0xF4) return CharStep::kRefused;
  if (byte < 0xE0) {
    *partial = {PartialChar::kUtf8One, 2, byte & 0x1Fu};
  } else if (byte < 0xF0) {
    *partial = {PartialChar::kUtf8Two, 3, byte & 0x0Fu};
  } else {
    *partial = {PartialChar::kUtf8Three, 4, byte & 0x07u};
  }
  return CharStep::kPartial;
}

CharStep ShortEscape(uint8_t byte, PartialChar* partial) {
  constexpr char kNames[] = {'"', '\\', '/', 'b', 'f', 'n', 'r', 't'};
  constexpr char kValues[] = {'"', '\\', '/', '\b', '\f', '\n', '\r', '\t'};
  if (byte == 'u') {
    *partial = {PartialChar::kHex, 0, 0};
    return CharStep::kPartial;
  }
  const char* found = std::ranges::find(kNames, static_cast<char>(byte));
  if (found == std::end(kNames)) return CharStep::kRefused;
  partial->value = static_cast<uint8_t>(kValues[found - kNames]);
  return CharStep::kComplete;
}

CharStep Hex(uint8_t byte, PartialChar* partial) {
  const int digit = HexDigit(byte);
  if (digit < 0) return CharStep::kRefused;
  partial->value = partial->value << 4 | static_cast<uint32_t>(digit);
  ++partial->digits;
  const uint32_t so_far = partial->value;
  // A low surrogate cannot come first.
  if (partial->digits == 2 && so_far >= kFirstLow >> 8 && so_far < kEndOfSurrogates >> 8) {
    return CharStep::kRefused;
  }
  if (partial->digits < 4) return CharStep::kPartial;
  if (so_far < kFirstHigh || so_far >= kEndOfSurrogates) return CharStep::kComplete;
  *partial = {PartialChar::kHighDone, 0, kFirstSupplementary + ((so_far - kFirstHigh) << 10)};
  return CharStep::kPartial;
}

// The digits after DC00's first one add to the bits of the high surrogate.
CharStep LowHex(uint8_t byte, PartialChar* partial) {
  const int digit = HexDigit(byte);
  if (digit < 0) return CharStep::kRefused;
  constexpr int kShifts[] = {0, 8, 4, 0};
  uint32_t bits = static_cast<uint32_t>(digit);
  if (partial->digits == 0) {
    if (digit != 0xD) return CharStep::kRefused;
    bits = 0;
  } else if (partial->digits == 1) {
    if (digit < 0xC) return CharStep::kRefused;
    bits -= 0xC;
  }
  partial->value += bits << kShifts[partial->digits];
  ++partial->digits;
  return partial->digits < 4 ? CharStep::kPartial : CharStep::kComplete;
}

CharStep Expect(uint8_t byte, char wanted, PartialChar::Mode next, PartialChar* partial) {
  if (byte != static_cast<uint8_t>(wanted)) return CharStep::kRefused;
  partial->mode = next;
  partial->digits = 0;
  return CharStep::kPartial;
}

}  // namespace

CharStep StepUtf8(uint8_t byte, PartialChar* partial) {
  if (partial->mode == PartialChar::kNone) return Lead(byte, partial);
  if ((byte & 0xC0) != 0x80) return CharStep::kRefused;
  partial->value = partial->value << 6 | (byte & 0x3Fu);
  const int left = ContinuationBytes(partial->mode) - 1;
  if (left == 0) {
    const uint32_t value = partial->value;
    if (value >= kFirstHigh && value < kEndOfSurrogates) return CharStep::kRefused;
    return CharStep::kComplete;
  }
  partial->mode = left == 1 ? PartialChar::kUtf8One : PartialChar::kUtf8Two;
  return HasScalar(Utf8Range(*partial)) ? CharStep::kPartial : CharStep::kRefused;
}

CharStep StepJsonCharSlowly(uint8_t byte, PartialChar* partial) {
  switch (partial->mode) {
    case PartialChar::kNone:
      if (byte < 0x20 || byte == '"') return CharStep::kRefused;
      if (byte != '\\') return Lead(byte, partial);
      *partial = {PartialChar::kBackslash, 0, 0};
      return CharStep::kPartial;
    case PartialChar::kBackslash:
      return ShortEscape(byte, partial);
    case PartialChar::kHex:
      return Hex(byte, partial);
    case PartialChar::kHighDone:
      return Expect(byte, '\\', PartialChar::kHighEscape, partial);
    case PartialChar::kHighEscape:
      return Expect(byte, 'u', PartialChar::kLowHex, partial);
    case PartialChar::kLowHex:
      return LowHex(byte, partial);
    default:
      return StepUtf8(byte, partial);
  }
}

std::array<CodePointRange, 2> PossibleCodePoints(const PartialChar& partial) {
  switch (partial.mode) {
    case PartialChar::kNone:
    case PartialChar::kBackslash:
      return {CodePointRange{0, kMaxCodePoint}, kEmpty};
    case PartialChar::kHex: {
      const int shift = 4 * (4 - partial.digits);
      const uint32_t low = partial.value << shift;
      const uint32_t high = low | ((1u << shift) - 1);
      if (high < kFirstHigh || low >= kEndOfSurrogates) return {CodePointRange{low, high}, kEmpty};
      if (low >= kFirstHigh) {  // a high surrogate: 1024 code points for each
        const uint32_t last_high = std::min(high, kFirstLow - 1);
        return {CodePointRange{kFirstSupplementary + ((low - kFirstHigh) << 10),
                               kFirstSupplementary + ((last_high - kFirstHigh) << 10) + 0x3FF},
                kEmpty};
      }
      // Reaches from below the surrogates into them or beyond: \u and \ud.
      return {CodePointRange{low, high < kEndOfSurrogates ? kFirstHigh - 1 : high},
              CodePointRange{kFirstSupplementary, kMaxCodePoint}};
    }
    case PartialChar::kHighDone:
    case PartialChar::kHighEscape:
      return {CodePointRange{partial.value, partial.value + 0x3FF}, kEmpty};
    case PartialChar::kLowHex: {
      constexpr uint32_t kSpans[] = {0x3FF, 0x3FF, 0xFF, 0xF};
      return {CodePointRange{partial.value, partial.value + kSpans[partial.digits]}, kEmpty};
    }
    default:
      return {Utf8Range(partial), kEmpty};
  }
}

}  // namespace infer
