// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/terminal_text.h"

#include "frontends/tokenizer/utf8.h"

namespace infer {
namespace {

constexpr char32_t kControlPictures = 0x2400;  // of U+0000, the others follow
constexpr char32_t kDeletePicture = 0x2421;

char32_t Shown(char32_t c) {
  if (c == '\n' || c == '\t') return c;
  if (c < 0x20) return kControlPictures + c;
  if (c == 0x7F) return kDeletePicture;
  if (c >= 0x80 && c < 0xA0) return kReplacementCharacter;
  return c;
}

}  // namespace

std::string TerminalText(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Utf8Scan scan = ScanUtf8(text);
    const bool valid = scan.kind == Utf8Kind::kComplete;
    AppendUtf8(valid ? Shown(DecodeValidUtf8(text, 0).value) : kReplacementCharacter, &shown);
    text.remove_prefix(scan.bytes);
  }
  return shown;
}

}  // namespace infer
