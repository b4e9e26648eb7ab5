// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/synthetic_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <unordered_map>

#include "tests/tools/synth/parsed_gguf.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

// Made once: it takes a second in an instrumented build.
const SynthVocabulary& Qwen3Sized() {
  static const SynthVocabulary vocabulary = *Qwen3SizedVocabulary(1).Load();
  return vocabulary;
}

TEST(SyntheticVocabulary, ByteTokensAreInTheOrderOfQwen3) {
  const std::vector<std::string> tokens = ByteTokens();
  ASSERT_EQ(tokens.size(), 256u);
  EXPECT_EQ(std::set<std::string>(tokens.begin(), tokens.end()).size(), 256u);
  EXPECT_EQ(tokens[0], "!");
  EXPECT_EQ(tokens[93], "~");
  EXPECT_EQ(tokens[94], "\xc2\xa1");
  EXPECT_EQ(tokens[187], "\xc3\xbf");
  EXPECT_EQ(tokens[188], "\xc4\x80");  // byte 0
  EXPECT_EQ(tokens[220], "\xc4\xa0");  // the space
  EXPECT_EQ(tokens[255], "\xc5\x83");  // byte 0xad
}

TEST(SyntheticVocabulary, SmallHasBytesAndSpecialTokens) {
  const SynthVocabulary vocabulary = *SmallVocabulary().Load();
  ASSERT_EQ(vocabulary.tokens.size(), 263u);
  ASSERT_EQ(vocabulary.types.size(), 263u);
  EXPECT_EQ(vocabulary.tokens[256], "<|endoftext|>");
  EXPECT_EQ(vocabulary.tokens[258], "<|im_end|>");
  EXPECT_EQ(vocabulary.types[258], 3);
  EXPECT_EQ(vocabulary.types[262], 4);
}

TEST(SyntheticVocabulary, Qwen3SizedHasQwen3sIds) {
  const SynthVocabulary& vocabulary = Qwen3Sized();
  ASSERT_EQ(vocabulary.tokens.size(), 151669u);
  EXPECT_EQ(vocabulary.tokens[151643], "<|endoftext|>");
  EXPECT_EQ(vocabulary.tokens[151645], "<|im_end|>");
  EXPECT_EQ(vocabulary.tokens[151668], "</think>");
  size_t bytes = 0;
  for (const std::string& token : vocabulary.tokens) bytes += token.size();
  // Qwen3's own tokens have 9.03 bytes on average.
  EXPECT_NEAR(static_cast<double>(bytes) / 151669, 9.03, 0.5);
}

TEST(SyntheticVocabulary, Llama3SizedHasLlama3sIds) {
  const SynthVocabulary vocabulary = *Llama3SizedVocabulary(1).Load();
  ASSERT_EQ(vocabulary.tokens.size(), 128256u);
  EXPECT_EQ(vocabulary.tokens[128000], "<|begin_of_text|>");
  EXPECT_EQ(vocabulary.tokens[128009], "<|eot_id|>");
  EXPECT_EQ(vocabulary.tokens[128011], "<|reserved_special_token_11|>");
  EXPECT_EQ(vocabulary.types[128255], 3);
}

TEST(SyntheticVocabulary, EveryMergeMakesANewTokenOfOlderOnes) {
  const SynthVocabulary& vocabulary = Qwen3Sized();
  std::unordered_map<std::string, size_t> id_of;
  for (size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    ASSERT_TRUE(id_of.emplace(vocabulary.tokens[id], id).second) << vocabulary.tokens[id];
  }
  std::vector<GgufEntry> entries = VocabularyEntries(vocabulary);
  std::string file = "GGUF";
  AppendUint32(&file, 3);
  AppendUint64(&file, 0);
  AppendUint64(&file, entries.size());
  for (const GgufEntry& entry : entries) {
    AppendGgufString(&file, entry.key);
    AppendUint32(&file, entry.type);
    file += entry.payload;
  }
  const std::vector<std::string> merges = ParseGguf(file).values.at("tokenizer.ggml.merges").texts;
  ASSERT_EQ(merges.size(), 151387u);
  for (size_t i = 0; i < merges.size(); ++i) {
    const size_t space = merges[i].find(' ');
    const std::string left = merges[i].substr(0, space), right = merges[i].substr(space + 1);
    ASSERT_EQ(id_of.at(left + right), 256 + i);
    ASSERT_LT(id_of.at(left), 256 + i);
    ASSERT_LT(id_of.at(right), 256 + i);
  }
}

TEST(SyntheticVocabulary, DependsOnTheSeedAlone) {
  EXPECT_EQ(Qwen3Sized().tokens, Qwen3SizedVocabulary(1).Load()->tokens);
  EXPECT_NE(Qwen3Sized().tokens, Qwen3SizedVocabulary(2).Load()->tokens);
}

TEST(SynthVocabulary, IsPaddedWithUnusedEntriesAndNeverCut) {
  SynthVocabulary vocabulary = *SmallVocabulary().Load();
  ASSERT_TRUE(PadVocabulary(265, &vocabulary).ok());
  EXPECT_EQ(vocabulary.tokens.at(264), "[PAD264]");
  EXPECT_EQ(vocabulary.types.at(264), 5);
  const absl::Status status = PadVocabulary(264, &vocabulary);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("265 tokens"));
}

}  // namespace
}  // namespace infer
