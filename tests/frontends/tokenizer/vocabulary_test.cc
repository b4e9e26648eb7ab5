// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "frontends/tokenizer/tokenizer.h"
#include "tests/frontends/tokenizer/small_vocabulary.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

// The message that a valid vocabulary gets once `damage` has changed it.
std::string Refusal(const std::function<void(TokenizerData*)>& damage) {
  TestVocabulary vocabulary;
  vocabulary.Merge("a", "b");
  TokenizerData data = vocabulary.Data();
  EXPECT_TRUE(Tokenizer::Create(data).ok());
  damage(&data);
  absl::Status status = Tokenizer::Create(data).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(Vocabulary, RefusesOtherKindsOfTokenizer) {
  EXPECT_EQ(
      Refusal([](TokenizerData* d) { d->model = "llama"; }),
      "tokenizer.ggml.model is \"llama\" (SPM, SentencePiece), expected \"gpt2\" (byte-level "
      "BPE): models with such a tokenizer, Llama 2 among them, are not supported; Llama 3 is");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->model = "bert"; }),
            "tokenizer.ggml.model is \"bert\", expected \"gpt2\" (byte-level BPE): this tokenizer "
            "is not supported");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->pre = "gpt-4o"; }),
            "tokenizer.ggml.pre is \"gpt-4o\", expected one of \"qwen2\", \"llama-bpe\", "
            "\"llama3\", \"llama-v3\": the split used by this model is not supported");
}

TEST(Vocabulary, RefusesCountsThatDisagree) {
  EXPECT_EQ(
      Refusal([](TokenizerData* d) { d->types.pop_back(); }),
      "tokenizer.ggml.token_type has 256 entries, tokenizer.ggml.tokens has 257: expected one "
      "type per token");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->tokens.clear(); }),
            "tokenizer.ggml.tokens is empty: the file has no vocabulary");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->tokens.resize((4 << 20) + 1); }),
            "tokenizer.ggml.tokens has 4194305 tokens, the limit is 4194304");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->merges.resize((4 << 20) + 1); }),
            "tokenizer.ggml.merges has 4194305 entries, the limit is 4194304");
}

TEST(Vocabulary, RefusesBadTokens) {
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->types[7] = 0; }),
            "tokenizer.ggml.token_type[7] is 0, expected 1 to 6 (normal, unknown, control, "
            "user-defined, unused, byte)");
  Refusal([](TokenizerData* d) { d->types[7] = 7; });
  Refusal([](TokenizerData* d) { d->types[7] = -1; });
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->tokens[256] = ""; }),
            "tokenizer.ggml.tokens[256] is empty");
  EXPECT_EQ(
      Refusal([](TokenizerData* d) { d->tokens[256] = "a"; }),
      "tokenizer.ggml.tokens[256] is \"a\", the same text as token 97: expected unique texts");
  static const std::string long_text(65537, 'x');
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->tokens[256] = long_text; }),
            "tokenizer.ggml.tokens[256] has 65537 bytes, the limit is 65536");
  EXPECT_EQ(Refusal([](TokenizerData* d) {
              d->tokens[256] = std::string_view(long_text).substr(0, 1025);
              d->types[256] = 3;
            }),
            "tokenizer.ggml.tokens[256] is a special token of 1025 bytes, the limit is 1024");
  EXPECT_EQ(Refusal([](TokenizerData* d) {
              d->tokens[256] = "\xBF";
              d->types[256] = 3;
            }),
            "tokenizer.ggml.tokens[256] is the special token \"\\xbf\", expected valid UTF-8");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->tokens[32] = "blank"; }),
            "tokenizer.ggml.tokens has no token for the byte 0x20 (text \"\xC4\xA0\"): byte-level "
            "BPE needs all 256");
}

// 4096 texts of 64 KiB are the limit; the 256 byte tokens have 418 bytes and "ab" has 2.
TEST(Vocabulary, RefusesTooMuchTextWithoutCopyingIt) {
  static const std::string text(65536, 'x');
  EXPECT_EQ(Refusal([](TokenizerData* d) {
              d->tokens.resize(257 + 4096, text);
              d->types.resize(257 + 4096, 1);
            }),
            "tokenizer.ggml.tokens has 268435876 bytes of text, the limit is 268435456");
}

TEST(Vocabulary, RefusesRolesOutsideIt) {
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->eos = 257; }),
            "tokenizer.ggml.eos_token_id is 257, the vocabulary has ids 0 to 256");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->bos = -1; }),
            "tokenizer.ggml.bos_token_id is -1, the vocabulary has ids 0 to 256");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->pad = int64_t{1} << 40; }),
            "tokenizer.ggml.padding_token_id is 1099511627776, the vocabulary has ids 0 to 256");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->eot = 257; }),
            "tokenizer.ggml.eot_token_id is 257, the vocabulary has ids 0 to 256");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->eos.reset(); }),
            "tokenizer.ggml.eos_token_id is missing: without it generation would never end; "
            "convert the model again");
  EXPECT_EQ(Refusal([](TokenizerData* d) { d->add_bos = true; }),
            "tokenizer.ggml.add_bos_token is true, but tokenizer.ggml.bos_token_id is missing");
}

TEST(Vocabulary, RefusesBadMerges) {
  auto with_merge = [](std::string_view merge) {
    return Refusal([merge](TokenizerData* d) { d->merges.push_back(merge); });
  };
  const std::string form = ": expected two token texts with one space between them";
  EXPECT_EQ(with_merge(""), "tokenizer.ggml.merges[1] is \"\"" + form);
  EXPECT_EQ(with_merge("ab"), "tokenizer.ggml.merges[1] is \"ab\"" + form);
  EXPECT_EQ(with_merge(" ab"), "tokenizer.ggml.merges[1] is \" ab\"" + form);
  EXPECT_EQ(with_merge("ab "), "tokenizer.ggml.merges[1] is \"ab \"" + form);
  EXPECT_EQ(with_merge("a b c"), "tokenizer.ggml.merges[1] is \"a b c\"" + form);
  EXPECT_EQ(with_merge("xy b"),
            "tokenizer.ggml.merges[1] is \"xy b\": its left part is not a token");
  EXPECT_EQ(with_merge("b xy"),
            "tokenizer.ggml.merges[1] is \"b xy\": its right part is not a token");
  EXPECT_EQ(with_merge("b a"),
            "tokenizer.ggml.merges[1] is \"b a\": the joined text is not a token");
  EXPECT_EQ(with_merge("a b"), "tokenizer.ggml.merges[1] is \"a b\": the same merge as entry 0");
}

TEST(Vocabulary, DecodesByType) {
  TestVocabulary small;
  int32_t normal = small.Add("\xC4\xA0x", TokenType::kNormal);
  int32_t user = small.Add("\xC4\xA0y", TokenType::kUserDefined);
  int32_t foreign = small.Add("\xE4\xB8\xAD", TokenType::kNormal);
  int32_t unused = small.Add("[PAD]", TokenType::kUnused);
  Vocabulary vocabulary = *Vocabulary::Create(small.Data());
  auto bytes = [&](int32_t id) {
    std::string out;
    vocabulary.AppendBytes(id, &out);
    return out;
  };
  EXPECT_EQ(bytes(normal), " x");
  EXPECT_EQ(bytes(user), "\xC4\xA0y") << "special tokens are not in the byte alphabet";
  EXPECT_EQ(bytes(foreign), "\xE4\xB8\xAD");
  EXPECT_EQ(bytes(unused), "");
  EXPECT_EQ(vocabulary.text(unused), "[PAD]");
}

TEST(Vocabulary, CollectsTheTokensThatEndAGeneration) {
  TestVocabulary small;
  int32_t end_of_text = small.Add("<|endoftext|>", TokenType::kControl);
  small.Add("<|im_end|>", TokenType::kNormal);
  TokenizerData data = small.Data();
  data.eot = 5;
  Vocabulary vocabulary = *Vocabulary::Create(data);
  EXPECT_THAT(vocabulary.end_ids(), ElementsAre(0, 5, end_of_text));
}

}  // namespace
}  // namespace infer
