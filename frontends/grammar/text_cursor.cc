// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/text_cursor.h"

#include "frontends/tokenizer/utf8.h"
#include "ir/base/strings.h"

namespace infer {

absl::StatusOr<uint32_t> TextCursor::NextCodePoint() {
  if (ScanUtf8(rest()).kind != Utf8Kind::kComplete) return Error("not valid UTF-8");
  const DecodedCodePoint decoded = DecodeValidUtf8(text_, at_);
  at_ += decoded.bytes;
  return decoded.value;
}

absl::StatusOr<uint32_t> TextCursor::Hex(int digits) {
  uint32_t value = 0;
  for (int i = 0; i < digits; ++i, ++at_) {
    const char c = Peek();
    const size_t digit = std::string_view("0123456789abcdef")
                             .find(static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
    if (Done() || digit == std::string_view::npos) {
      return Error(StrCat("expected ", digits, " hex digits"));
    }
    value = value << 4 | static_cast<uint32_t>(digit);
  }
  return value;
}

}  // namespace infer
