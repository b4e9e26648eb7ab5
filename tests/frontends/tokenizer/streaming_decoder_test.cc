// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/streaming_decoder.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "frontends/tokenizer/utf8.h"
#include "tests/frontends/tokenizer/nasty_text.h"
#include "tests/frontends/tokenizer/small_vocabulary.h"
#include "tools/api/text_decoder_adapter.h"

namespace infer {
namespace {

class StreamingDecoderTest : public ::testing::Test {
 protected:
  // What each token gives; the last element is what Flush gives.
  std::vector<std::string> Stream(std::string_view bytes) {
    StreamingDecoder decoder(&tokenizer_);
    std::vector<std::string> parts;
    for (char byte : bytes) decoder.Append(ByteId(byte), &parts.emplace_back());
    decoder.Flush(&parts.emplace_back());
    return parts;
  }

  TestVocabulary vocabulary_;
  Tokenizer tokenizer_ = *Tokenizer::Create(vocabulary_.Data());
};

using Pieces = std::vector<std::string>;

TEST_F(StreamingDecoderTest, HoldsASequenceBackUntilItIsComplete) {
  EXPECT_EQ(Stream("a\xE4\xB8\xAD"), (Pieces{"a", "", "", "\xE4\xB8\xAD", ""}));
  EXPECT_EQ(Stream("\xF0\x9F\x98\x80z"), (Pieces{"", "", "", "\xF0\x9F\x98\x80", "z", ""}));
}

TEST_F(StreamingDecoderTest, FlushesAnUnfinishedSequenceAsItIs) {
  EXPECT_EQ(Stream("\xE4\xB8"), (Pieces{"", "", "\xE4\xB8"}));
}

TEST_F(StreamingDecoderTest, PassesOnWhatCanNeverBecomeValid) {
  EXPECT_EQ(Stream("\xFFz"), (Pieces{"\xFF", "z", ""}));
  EXPECT_EQ(Stream("\xE4z"), (Pieces{"", "\xE4z", ""}));
  EXPECT_EQ(Stream("\xE4\xF0\x9F"), (Pieces{"", "\xE4", "", "\xF0\x9F"}));
}

TEST_F(StreamingDecoderTest, IgnoresIdsOutsideTheVocabulary) {
  StreamingDecoder decoder(&tokenizer_);
  std::string out;
  decoder.Append(-1, &out);
  decoder.Append(1 << 30, &out);
  decoder.Flush(&out);
  EXPECT_EQ(out, "");
}

TEST_F(StreamingDecoderTest, GivesTheBytesOfDecodeAndNeverCutsValidText) {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string text = NastyText(&random);
    std::string joined;
    for (const std::string& part : Stream(text)) {
      std::string storage;
      EXPECT_EQ(ReplaceInvalidUtf8(part, &storage), part);
      joined += part;
    }
    EXPECT_EQ(joined, text);
  }
}

TEST_F(StreamingDecoderTest, ServesTheRuntimeThroughItsInterface) {
  std::unique_ptr<TextDecoder> decoder = std::make_unique<TextDecoderAdapter>(&tokenizer_);
  std::string out;
  decoder->Append(ByteId('\xC3'), &out);
  EXPECT_EQ(out, "");
  decoder->Append(ByteId('\xBC'), &out);
  EXPECT_EQ(out, "\xC3\xBC");
  decoder->Append(ByteId('\xC3'), &out);
  decoder->Flush(&out);
  EXPECT_EQ(out, "\xC3\xBC\xC3");
}

}  // namespace
}  // namespace infer
