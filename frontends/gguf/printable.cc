// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/printable.h"

#include "ir/base/strings.h"

namespace infer {

std::string Printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte < 127 && c != '"' && c != '\\') {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::string Quoted(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return StrCat("\"", Printable(text), "\"");
  return StrCat("\"", Printable(text.substr(0, max_bytes)), "\"... (", text.size(), " bytes)");
}

}  // namespace infer
