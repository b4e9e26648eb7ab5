// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/wide_text.h"

#include "frontends/tokenizer/utf8.h"

namespace infer {

std::wstring Wide(std::string_view text) {
  std::string storage;
  text = ReplaceInvalidUtf8(text, &storage);
  std::wstring wide;
  for (size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeValidUtf8(text, i);
    wide += static_cast<wchar_t>(point.value);
    i += point.bytes;
  }
  return wide;
}

std::string Narrow(std::wstring_view wide) {
  std::string text;
  for (wchar_t c : wide) AppendUtf8(static_cast<char32_t>(c), &text);
  return text;
}

}  // namespace infer
