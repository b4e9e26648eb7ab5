// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/byte_encoder.h"

#include <array>

#include "frontends/tokenizer/utf8.h"

namespace infer {
namespace {

constexpr char32_t kFirstSubstitute = 0x100;
constexpr char32_t kCodePoints = 0x144;  // 0x100 + 68 substitutes

bool StandsForItself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  Alphabet() {
    byte_of.fill(-1);
    char32_t next = kFirstSubstitute;
    for (int byte = 0; byte < 256; ++byte) {
      char32_t code_point = StandsForItself(byte) ? static_cast<char32_t>(byte) : next++;
      AppendUtf8(code_point, &text_of[byte]);
      byte_of[code_point] = static_cast<int16_t>(byte);
    }
  }
  std::array<std::string, 256> text_of;
  std::array<int16_t, kCodePoints> byte_of;  // -1 if the code point is not in the alphabet
};

const Alphabet& GetAlphabet() {
  static const Alphabet* const alphabet = new Alphabet();
  return *alphabet;
}

}  // namespace

std::string_view ByteToAlphabet(uint8_t byte) { return GetAlphabet().text_of[byte]; }

bool AppendBytesOfAlphabet(std::string_view text, std::string* out) {
  const Alphabet& alphabet = GetAlphabet();
  const size_t bytes_before = out->size();
  for (size_t pos = 0; pos < text.size();) {
    Utf8Scan scan = ScanUtf8(text.substr(pos));
    char32_t c = scan.kind == Utf8Kind::kComplete ? DecodeValidUtf8(text, pos).value : kCodePoints;
    if (c >= kCodePoints || alphabet.byte_of[c] < 0) {
      out->resize(bytes_before);
      return false;
    }
    out->push_back(static_cast<char>(alphabet.byte_of[c]));
    pos += scan.bytes;
  }
  return true;
}

}  // namespace infer
