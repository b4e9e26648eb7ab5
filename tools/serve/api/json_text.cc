// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/json_text.h"

#include <charconv>
#include <cmath>

namespace infer::serve {
namespace {

constexpr float kNoProbability = -9999;

void AppendEscape(char c, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      *out += "\\\"";
      return;
    case '\\':
      *out += "\\\\";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\r':
      *out += "\\r";
      return;
    case '\t':
      *out += "\\t";
      return;
    default:
      *out += "\\u00";
      *out += kHex[static_cast<unsigned char>(c) >> 4];
      *out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  size_t plain = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7F) continue;
    out->append(text, plain, i - plain);
    AppendEscape(text[i], out);
    plain = i + 1;
  }
  out->append(text, plain);
  *out += '"';
}

void AppendJsonNumber(float number, std::string* out) {
  if (!std::isfinite(number)) number = kNoProbability;
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
  out->append(buffer, end);
}

}  // namespace infer::serve
