// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/text_split.h"

#include <string>
#include <string_view>
#include <vector>

#include "frontends/chat/unicode_text.h"
#include "frontends/tokenizer/utf8.h"

namespace infer::chat {

List* SplitSpaces(const MarkedText& text, int64_t limit, Heap& heap) {
  List* parts = heap.NewList();
  const std::string& bytes = text.text();
  for (size_t pos = 0; pos < bytes.size() && heap.budget().ok();) {
    pos += Strip(std::string_view(bytes).substr(pos), nullptr, true, false).begin;
    if (pos == bytes.size()) break;
    size_t end = pos;
    if (limit >= 0 && static_cast<int64_t>(parts->items.size()) == limit) {
      heap.Push(parts, heap.NewString(text.Slice(pos, bytes.size())));
      break;
    }
    while (end < bytes.size()) {
      const DecodedCodePoint c = DecodeValidUtf8(bytes, end);
      if (IsSpace(c.value)) break;
      end += c.bytes;
    }
    heap.Push(parts, heap.NewString(text.Slice(pos, end)));
    heap.budget().Spend(1);
    pos = end;
  }
  return parts;
}

List* SplitAt(const MarkedText& text, const MarkedText& separator, int64_t limit, Heap& heap) {
  List* parts = heap.NewList();
  heap.budget().Spend(text.size() / 64);
  size_t pos = 0;
  while (heap.budget().ok() && (limit < 0 || static_cast<int64_t>(parts->items.size()) < limit)) {
    const size_t found = text.text().find(separator.text(), pos);
    if (found == std::string::npos) break;
    heap.Push(parts, heap.NewString(text.Slice(pos, found)));
    heap.budget().Spend(1);
    pos = found + separator.size();
  }
  heap.Push(parts, heap.NewString(text.Slice(pos, text.size())));
  return parts;
}

List* SplitAtFromRight(const MarkedText& text, const MarkedText& separator, int64_t limit,
                       Heap& heap) {
  std::vector<Value> parts;
  size_t end = text.size();
  while (heap.budget().ok() && (limit < 0 || static_cast<int64_t>(parts.size()) < limit)) {
    if (end < separator.size()) break;
    const size_t found = text.text().rfind(separator.text(), end - separator.size());
    if (found == std::string::npos) break;
    parts.push_back(heap.NewString(text.Slice(found + separator.size(), end)));
    heap.budget().Spend(1);
    end = found;
  }
  parts.push_back(heap.NewString(text.Slice(0, end)));
  List* out = heap.NewList();
  for (auto it = parts.rbegin(); it != parts.rend(); ++it) heap.Push(out, *it);
  return out;
}

List* SplitLines(const MarkedText& text, Heap& heap) {
  List* lines = heap.NewList();
  const std::string& bytes = text.text();
  size_t begin = 0;
  for (size_t pos = 0; pos < bytes.size();) {
    const DecodedCodePoint c = DecodeValidUtf8(bytes, pos);
    const size_t end = pos;
    pos += c.bytes;
    if (!IsLineEnd(c.value)) continue;
    if (c.value == '\r' && pos < bytes.size() && bytes[pos] == '\n') ++pos;
    heap.Push(lines, heap.NewString(text.Slice(begin, end)));
    heap.budget().Spend(1);
    begin = pos;
  }
  if (begin < bytes.size()) heap.Push(lines, heap.NewString(text.Slice(begin, bytes.size())));
  return lines;
}

}  // namespace infer::chat
