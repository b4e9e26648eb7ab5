// SPDX-License-Identifier: Apache-2.0
#include "tools/api/embedding_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/base/strings.h"
#include "tests/frontends/tokenizer/small_vocabulary.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

TEST(ChoosePooling, TakesTheFilesUnlessAnotherIsAskedFor) {
  ModelConfig config;
  config.name = "toy";
  config.pooling = Pooling::kLast;
  EXPECT_EQ(*ChoosePooling(Pooling::kNone, config), Pooling::kLast);
  EXPECT_EQ(*ChoosePooling(Pooling::kMean, config), Pooling::kMean);
}

TEST(ChoosePooling, RefusesAModelThatDoesNotSay) {
  ModelConfig config;
  config.name = "toy";
  EXPECT_THAT(std::string(ChoosePooling(Pooling::kNone, config).status().message()),
              HasSubstr("toy does not say how its vectors become one"));
  config.pooling = Pooling::kRank;
  EXPECT_THAT(std::string(ChoosePooling(Pooling::kNone, config).status().message()),
              HasSubstr("toy is a reranker"));
}

TEST(EmbeddingTokens, EndAsTheFileSays) {
  TestVocabulary vocabulary;
  const int32_t end = vocabulary.Add("<end>", TokenType::kControl);
  TokenizerData data = vocabulary.Data();
  data.eos = end;
  EXPECT_THAT(*EmbeddingTokens(*Tokenizer::Create(data), "a"), ElementsAre(ByteId('a')));
  data.add_eos = true;
  EXPECT_THAT(*EmbeddingTokens(*Tokenizer::Create(data), "a"), ElementsAre(ByteId('a'), end));
  EXPECT_THAT(*EmbeddingTokens(*Tokenizer::Create(data), ""), ElementsAre(end));
}

TEST(EmbeddingTokens, WriteAQueryAsQwen3EmbeddingReadsIt) {
  TestVocabulary vocabulary;
  Tokenizer tokenizer = *Tokenizer::Create(vocabulary.Data());
  EXPECT_EQ(*tokenizer.Decode(*EmbeddingTokens(tokenizer, "who?", "Find it")),
            "Instruct: Find it\nQuery:who?");
}

TEST(FinishEmbedding, CutsBeforeItScales) {
  const float vector[] = {3, 4, 12};
  EXPECT_THAT(FinishEmbedding(vector, 0, true),
              ElementsAre(FloatNear(3 / 13.0f, 1e-6f), FloatNear(4 / 13.0f, 1e-6f),
                          FloatNear(12 / 13.0f, 1e-6f)));
  EXPECT_THAT(FinishEmbedding(vector, 2, true),
              ElementsAre(FloatNear(0.6f, 1e-6f), FloatNear(0.8f, 1e-6f)));
  EXPECT_THAT(FinishEmbedding(vector, 2, false), ElementsAre(3, 4));
}

TEST(FinishEmbedding, LeavesZerosAlone) {
  const float zeros[] = {0, 0};
  EXPECT_THAT(FinishEmbedding(zeros, 0, true), ElementsAre(0, 0));
}

}  // namespace
}  // namespace infer
