// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>

namespace infer {
namespace {

std::string Inflate(const std::string& deflated) {
  z_stream stream = {};
  inflateInit2(&stream, -15);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
  stream.avail_in = static_cast<uInt>(deflated.size());
  std::string out;
  char buffer[1000];
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof(buffer);
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof(buffer) - stream.avail_out);
  }
  inflateEnd(&stream);
  return result == Z_STREAM_END && stream.avail_in == 0 ? out : "no stream that ends";
}

void ExpectWhole(const std::string& text) {
  EXPECT_TRUE(Inflate(Deflate(text)) == text) << text.size() << " bytes";
}

TEST(Deflate, GivesBackWhatWentIn) {
  ExpectWhole("");
  ExpectWhole("a");
  ExpectWhole("abcabcabcabcabcabc");
  ExpectWhole(std::string(100000, 'x'));
  ExpectWhole(std::string(3 << 20, 'x'));
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
