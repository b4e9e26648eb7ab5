// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/deflate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace infer {
namespace {

// Reads one block of fixed codes, from the tables of RFC 1951.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : bytes_(bytes) {}

  std::string Run() {
    if (Bits(1) != 1 || Bits(2) != 1) return "not one block of fixed codes";
    std::string out;
    for (uint32_t symbol = Symbol(); symbol != 256; symbol = Symbol()) {
      if (symbol < 256) {
        out.push_back(static_cast<char>(symbol));
        continue;
      }
      size_t length = kLengths[symbol - 257] + Bits(kLengthBits[symbol - 257]);
      uint32_t code = Code(5);
      size_t distance = kDistances[code] + Bits(code < 4 ? 0 : code / 2 - 1);
      if (distance > out.size()) return "a distance behind the beginning";
      for (size_t i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
    }
    return out;
  }

 private:
  static constexpr uint32_t kLengths[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                          15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                          67, 83, 99, 115, 131, 163, 195, 227, 258};
  static constexpr uint32_t kLengthBits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                             2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  static constexpr uint32_t kDistances[] = {
      1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

  uint32_t Bits(uint32_t count) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; ++i, ++at_) {
      if (at_ / 8 >= bytes_.size()) return 0;  // code 0 is the end, so that the text is too short
      value |= ((static_cast<uint8_t>(bytes_[at_ / 8]) >> (at_ % 8)) & 1u) << i;
    }
    return value;
  }
  uint32_t Code(int count) {
    uint32_t code = 0;
    for (int i = 0; i < count; ++i) code = code << 1 | Bits(1);
    return code;
  }
  uint32_t Symbol() {
    uint32_t code = Code(7);
    if (code <= 0x17) return 256 + code;
    code = code << 1 | Bits(1);
    if (code >= 0x30 && code <= 0xBF) return code - 0x30;
    if (code >= 0xC0 && code <= 0xC7) return 280 + code - 0xC0;
    return 144 + (code << 1 | Bits(1)) - 0x190;
  }

  std::string_view bytes_;
  size_t at_ = 0;
};

void ExpectWhole(const std::string& text) {
  EXPECT_TRUE(Inflater(Deflate(text)).Run() == text) << text.size() << " bytes";
}

TEST(Deflate, GivesBackWhatWentIn) {
  ExpectWhole("");
  ExpectWhole("a");
  ExpectWhole("abcabcabcabcabcabc");
  ExpectWhole(std::string(100000, 'x'));
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  ExpectWhole(bytes + bytes);
}

TEST(Deflate, FindsRepeatsOfAnyLengthAtAnyDistance) {
  std::mt19937 random(1);
  std::string noise;
  for (int i = 0; i < 40000; ++i) noise.push_back(static_cast<char>(random()));
  std::string text = noise;
  for (size_t length : {3, 4, 10, 11, 66, 67, 257, 258, 259, 600}) {
    for (size_t distance : {1, 4, 5, 300, 4097, 24577, 32768, 32769}) {
      text += text.substr(text.size() - distance, length);
      text.push_back(static_cast<char>(random()));
    }
  }
  ExpectWhole(text);
}

TEST(Deflate, MakesRepeatedTextSmall) {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += "{\"kind\":3,\"record\":5,\"step\":" + std::to_string(i) + "},";
  EXPECT_LT(Deflate(text).size(), text.size() / 5);
}

}  // namespace
}  // namespace infer
