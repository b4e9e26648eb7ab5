// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/string_literal.h"

#include <cstdint>
#include <optional>

#include "frontends/tokenizer/utf8.h"

namespace infer::chat {
namespace {

struct Escape {
  char32_t value;
  size_t length;  // of what follows the backslash
};

std::optional<int> DigitOf(char c, int base) {
  const int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 99;
  if (digit >= base) return std::nullopt;
  return digit;
}

// Reads up to `most` digits from `begin`.
Escape ReadDigits(std::string_view text, size_t begin, size_t most, int base) {
  Escape read = {0, 0};
  while (read.length < most && begin + read.length < text.size()) {
    const std::optional<int> digit = DigitOf(text[begin + read.length], base);
    if (!digit) break;
    read.value = read.value * static_cast<char32_t>(base) + static_cast<char32_t>(*digit);
    ++read.length;
  }
  return read;
}

std::optional<Escape> ReadHex(std::string_view rest, size_t digits) {
  Escape read = ReadDigits(rest, 1, digits, 16);
  if (read.length != digits) return std::nullopt;
  ++read.length;
  return read;
}

// Joins a high surrogate with the escaped low one after it.
Escape WithLowSurrogate(std::string_view rest, Escape high) {
  if (high.value < 0xD800 || high.value > 0xDFFF) return high;
  std::string_view next = rest.substr(high.length);
  if (high.value < 0xDC00 && next.starts_with("\\u")) {
    const std::optional<Escape> low = ReadHex(next.substr(1), 4);
    if (low && low->value >= 0xDC00 && low->value <= 0xDFFF) {
      return {0x10000 + ((high.value - 0xD800) << 10) + (low->value - 0xDC00),
              high.length + 1 + low->length};
    }
  }
  return {kReplacementCharacter, high.length};
}

// `rest` begins after the backslash.
std::optional<Escape> ReadEscape(std::string_view rest) {
  if (rest.empty()) return std::nullopt;
  constexpr std::string_view kLetters = "abfnrtv\\'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  if (const size_t i = kLetters.find(rest[0]); i != std::string_view::npos) {
    return Escape{static_cast<char32_t>(kMeanings[i]), 1};
  }
  if (DigitOf(rest[0], 8)) return ReadDigits(rest, 0, 3, 8);
  std::optional<Escape> read;
  if (rest[0] == 'x') read = ReadHex(rest, 2);
  if (rest[0] == 'u') read = ReadHex(rest, 4);
  if (rest[0] == 'U') read = ReadHex(rest, 8);
  if (!read) return std::nullopt;
  if (read->value > 0x10FFFF) read->value = kReplacementCharacter;
  return WithLowSurrogate(rest, *read);
}

}  // namespace

std::string Unescape(std::string_view literal) {
  std::string out;
  for (size_t pos = 0; pos < literal.size();) {
    const size_t backslash = std::min(literal.find('\\', pos), literal.size());
    out += literal.substr(pos, backslash - pos);
    if (backslash == literal.size()) break;
    std::string_view rest = literal.substr(backslash + 1);
    pos = backslash + 1;
    if (rest.starts_with('\n')) {  // a continued line
      ++pos;
    } else if (std::optional<Escape> escape = ReadEscape(rest)) {
      AppendUtf8(escape->value, &out);
      pos += escape->length;
    } else {
      out += '\\';
    }
  }
  return out;
}

}  // namespace infer::chat
