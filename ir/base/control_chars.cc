// SPDX-License-Identifier: Apache-2.0
#include "ir/base/control_chars.h"

#include <cstddef>

namespace infer {
namespace {

// Returns the number of bytes of the control character at `at`; 0 if there is none.
size_t ControlBytes(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7f) return 1;
  if (byte != 0xc2 || at + 1 == text.size()) return 0;
  const auto next = static_cast<unsigned char>(text[at + 1]);
  return next >= 0x80 && next <= 0x9f ? 2 : 0;
}

}  // namespace

bool HasControl(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (ControlBytes(text, i) > 0) return true;
  }
  return false;
}

std::string FirstLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  std::string line;
  for (size_t i = 0; i < text.size();) {
    const size_t bytes = ControlBytes(text, i);
    line += bytes > 0 ? ' ' : text[i];
    i += bytes > 0 ? bytes : 1;
  }
  return line;
}

}  // namespace infer
