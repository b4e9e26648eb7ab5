// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/text_operations.h"

#include <string>

#include "frontends/chat/unicode_text.h"
#include "frontends/tokenizer/utf8.h"

namespace infer::chat {
namespace {

// A capital sigma at the end of a word has a lower case of its own.
bool IsFinalSigma(std::string_view text, size_t pos) {
  bool before = false;
  for (size_t at = pos; at > 0 && !before;) {
    do --at;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    const char32_t c = DecodeValidUtf8(text, at).value;
    if (IsLetter(c)) before = true;
    if (!IsLetter(c)) break;
  }
  const size_t next = pos + 2;
  return before && (next >= text.size() || !IsLetter(DecodeValidUtf8(text, next).value));
}

void AppendCased(std::string_view text, size_t pos, Case wanted, bool starts, std::string* out) {
  const char32_t c = DecodeValidUtf8(text, pos).value;
  if (wanted == Case::kUpper) {
    AppendUpper(c, out);
  } else if (wanted != Case::kLower && starts) {
    AppendTitle(c, out);
  } else {
    AppendLowerAt(text, pos, out);
  }
}

}  // namespace

void AppendLowerAt(std::string_view text, size_t pos, std::string* out) {
  constexpr char32_t kSigma = 0x3A3;
  const char32_t c = DecodeValidUtf8(text, pos).value;
  if (c == kSigma && IsFinalSigma(text, pos)) {
    AppendUtf8(0x3C2, out);
  } else {
    AppendLower(c, out);
  }
}

Value WithCase(const MarkedText& text, Case wanted, Heap& heap) {
  TextBuilder out(&heap);
  heap.budget().Spend(text.size() / 16);
  bool starts = true;
  std::string run;
  bool run_marked = false;
  for (size_t pos = 0; pos < text.size();) {
    const DecodedCodePoint c = DecodeValidUtf8(text.text(), pos);
    const bool marked = !text.request_ranges().empty() && text.IsFromRequest(pos);
    if (marked != run_marked) {
      out.Append(run, run_marked);
      run.clear();
      run_marked = marked;
    }
    AppendCased(text.text(), pos, wanted, starts, &run);
    starts = wanted == Case::kTitle && !IsLetter(c.value);
    pos += c.bytes;
  }
  out.Append(run, run_marked);
  return out.Finish();
}

Value Replace(const MarkedText& text, const MarkedText& from, const MarkedText& to, int64_t count,
              Heap& heap) {
  const std::string& bytes = text.text();
  TextBuilder out(&heap);
  heap.budget().Spend(1 + text.size() / 64);
  size_t pos = 0;
  for (int64_t done = 0; count < 0 || done < count; ++done) {
    size_t found = bytes.find(from.text(), pos);
    if (from.empty() && done > 0 && pos < bytes.size()) {  // between all characters
      found = pos + DecodeValidUtf8(bytes, pos).bytes;
    } else if (from.empty() && done > 0) {
      break;
    }
    if (found == std::string::npos || !heap.budget().ok()) break;
    out.Append(text, pos, found);
    out.Append(to);
    heap.budget().Spend(1);
    pos = found + from.size();
  }
  out.Append(text, pos, bytes.size());
  return out.Finish();
}

}  // namespace infer::chat
