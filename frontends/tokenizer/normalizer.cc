// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "frontends/tokenizer/unicode_classes.h"
#include "frontends/tokenizer/utf8.h"

namespace infer {
namespace {

int CombiningClass(utf8proc_int32_t code_point) {
  return utf8proc_get_property(code_point)->combining_class;
}

std::vector<utf8proc_int32_t> Decompose(std::string_view segment) {
  std::vector<utf8proc_int32_t> result;
  for (size_t pos = 0; pos < segment.size();) {
    DecodedCodePoint c = DecodeValidUtf8(segment, pos);
    pos += c.bytes;
    utf8proc_int32_t parts[8];  // the longest canonical decomposition has 4
    int last_boundclass = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c.value), parts,
                                                     8, UTF8PROC_DECOMPOSE, &last_boundclass);
    result.insert(result.end(), parts, parts + std::clamp<utf8proc_ssize_t>(count, 0, 8));
  }
  return result;
}

// Sorts a run of marks by combining class; marks of the same class stay in order. The keys hold
// class, position in the run and code point (8, 30 and 21 bits; a text has at most 2^30 bytes).
void OrderRun(std::span<utf8proc_int32_t> run) {
  constexpr int kCodePointBits = 21;
  constexpr int kPlaceBits = 30;
  std::vector<uint64_t> keys(run.size());
  for (size_t i = 0; i < run.size(); ++i) {
    auto combining_class = static_cast<uint64_t>(CombiningClass(run[i]));
    keys[i] = (combining_class << kPlaceBits | i) << kCodePointBits | static_cast<uint64_t>(run[i]);
  }
  std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < run.size(); ++i) {
    run[i] = static_cast<utf8proc_int32_t>(keys[i] & ((uint64_t{1} << kCodePointBits) - 1));
  }
}

// utf8proc's own ordering is quadratic in the length of a run of marks, so it is done here.
void OrderMarks(std::span<utf8proc_int32_t> code_points) {
  auto is_starter = [](utf8proc_int32_t c) { return CombiningClass(c) == 0; };
  for (auto begin = code_points.begin(); begin != code_points.end();) {
    begin = std::find_if_not(begin, code_points.end(), is_starter);
    auto end = std::find_if(begin, code_points.end(), is_starter);
    if (end - begin > 1) OrderRun({begin, end});
    begin = end;
  }
}

void AppendNfc(std::string_view segment, std::string* out) {
  std::vector<utf8proc_int32_t> code_points = Decompose(segment);
  OrderMarks(code_points);
  utf8proc_ssize_t count = utf8proc_normalize_utf32(
      code_points.data(), static_cast<utf8proc_ssize_t>(code_points.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    AppendUtf8(static_cast<char32_t>(code_points[i]), out);
  }
}

}  // namespace

// Most code points start a segment that NFC treats separately (starts_nfc_segment). Only a segment
// that contains another kind of code point is decomposed and composed again; the rest is copied.
std::string_view NormalizeNfc(std::string_view text, std::string* storage) {
  size_t pos = AsciiPrefixBytes(text);
  if (pos == text.size()) return text;
  const UnicodeClasses& classes = UnicodeClasses::Get();
  auto inert = [&](DecodedCodePoint c) { return classes.starts_nfc_segment(c.value); };
  storage->clear();
  size_t copied_bytes = 0;
  size_t segment_begin = pos > 0 ? pos - 1 : 0;
  while (pos < text.size()) {
    DecodedCodePoint c = DecodeValidUtf8(text, pos);
    if (inert(c)) {
      segment_begin = pos;
      pos += c.bytes;
      continue;
    }
    size_t end = pos + c.bytes;
    while (end < text.size()) {
      DecodedCodePoint next = DecodeValidUtf8(text, end);
      if (inert(next)) break;
      end += next.bytes;
    }
    storage->append(text, copied_bytes, segment_begin - copied_bytes);
    AppendNfc(text.substr(segment_begin, end - segment_begin), storage);
    copied_bytes = segment_begin = pos = end;
  }
  if (copied_bytes == 0) return text;
  storage->append(text, copied_bytes);
  return *storage;
}

}  // namespace infer
