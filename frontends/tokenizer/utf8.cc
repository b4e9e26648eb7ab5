// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/utf8.h"

#include <cstring>

namespace infer {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// What may follow a lead byte: the number of continuation bytes, and the range of the first of
// them, which reveals overlong forms, surrogates and values above U+10FFFF.
struct LeadRule {
  uint8_t continuations;
  uint8_t first_low;
  uint8_t first_high;
};

LeadRule RuleOf(uint8_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {1, 0x80, 0xBF};
  if (lead == 0xE0) return {2, 0xA0, 0xBF};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {2, 0x80, 0xBF};
  if (lead == 0xF0) return {3, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {3, 0x80, 0xBF};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8Scan ScanUtf8(std::string_view text) {
  uint8_t lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {Utf8Kind::kComplete, 1};
  LeadRule rule = RuleOf(lead);
  if (rule.continuations == 0) return {Utf8Kind::kInvalid, 1};
  uint8_t low = rule.first_low;
  uint8_t high = rule.first_high;
  for (uint8_t i = 1; i <= rule.continuations; ++i) {
    if (i == text.size()) return {Utf8Kind::kTruncated, i};
    uint8_t byte = static_cast<uint8_t>(text[i]);
    if (byte < low || byte > high) return {Utf8Kind::kInvalid, i};
    low = 0x80;
    high = 0xBF;
  }
  return {Utf8Kind::kComplete, static_cast<uint8_t>(rule.continuations + 1)};
}

size_t AsciiPrefixBytes(std::string_view text) {
  size_t pos = 0;
  for (; pos + 8 <= text.size(); pos += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + pos, sizeof(word));
    if ((word & 0x8080808080808080u) != 0) break;
  }
  while (pos < text.size() && static_cast<uint8_t>(text[pos]) < 0x80) ++pos;
  return pos;
}

std::string_view ReplaceInvalidUtf8(std::string_view text, std::string* storage) {
  storage->clear();
  size_t copied_bytes = 0;
  bool replaced = false;
  for (size_t pos = 0; pos < text.size();) {
    pos += AsciiPrefixBytes(text.substr(pos));
    if (pos == text.size()) break;
    Utf8Scan scan = ScanUtf8(text.substr(pos));
    if (scan.kind != Utf8Kind::kComplete) {
      storage->append(text, copied_bytes, pos - copied_bytes);
      storage->append(kReplacement);
      copied_bytes = pos + scan.bytes;
      replaced = true;
    }
    pos += scan.bytes;
  }
  if (!replaced) return text;
  storage->append(text, copied_bytes);
  return *storage;
}

void AppendUtf8(char32_t code_point, std::string* out) {
  auto put = [out](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
    return;
  }
  if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      put(0xE0 | code_point >> 12);
    } else {
      put(0xF0 | code_point >> 18);
      put(0x80 | (code_point >> 12 & 0x3F));
    }
    put(0x80 | (code_point >> 6 & 0x3F));
  }
  put(0x80 | (code_point & 0x3F));
}

}  // namespace infer
