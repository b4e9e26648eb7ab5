// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/target.h"

#include <utility>

namespace infer::http {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Decodes %XX. Returns false if the encoding is wrong.
bool DecodePercents(std::string_view text, std::string* decoded) {
  decoded->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded->push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return false;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return false;
    decoded->push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return true;
}

// The length of the UTF-8 character at the start of `text`; 0 if it is not one, or is a control
// character.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first < 0x20 || first == 0x7f ? 0 : 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

bool IsPlainText(std::string_view text) {
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

std::optional<Problem> SplitTarget(std::string_view target, std::string* path, std::string* query) {
  if (!target.starts_with('/')) {
    return Problem{.message = "the request target must be a path that begins with '/'"};
  }
  if (target.find('#') != target.npos) {
    return Problem{.message = "the request target must not hold a fragment ('#')"};
  }
  const size_t mark = target.find('?');
  std::string_view encoded_query;
  if (mark != target.npos) encoded_query = target.substr(mark + 1);
  std::string decoded_query;
  if (!DecodePercents(target.substr(0, mark), path) ||
      !DecodePercents(encoded_query, &decoded_query)) {
    return Problem{.message = "'%' in the request target must be followed by two hex digits"};
  }
  if (!IsPlainText(*path) || !IsPlainText(decoded_query)) {
    return Problem{.message = "the request target must decode to UTF-8 without control characters"};
  }
  *query = encoded_query;
  return {};
}

}  // namespace infer::http
