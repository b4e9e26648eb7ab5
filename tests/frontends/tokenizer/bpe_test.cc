// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>

#include "tests/frontends/tokenizer/small_vocabulary.h"
#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<int32_t>;

MergeTable TableOf(const TokenizerData& data) {
  Vocabulary vocabulary = *Vocabulary::Create(data);
  return *MergeTable::Create(data.merges, *vocabulary.BuildIndex());
}

// The definition, word for word: join the leftmost pair of lowest rank until there is none.
Ids ByDefinition(const MergeTable& merges, std::string_view word) {
  Ids ids;
  for (char c : word) ids.push_back(merges.token_of_byte(static_cast<uint8_t>(c)));
  while (true) {
    size_t best = 0;
    uint32_t best_rank = std::numeric_limits<uint32_t>::max();
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const MergeTable::Merge* merge = merges.Find(ids[i], ids[i + 1]);
      if (merge == nullptr || merge->rank >= best_rank) continue;
      best = i;
      best_rank = merge->rank;
    }
    if (best_rank == std::numeric_limits<uint32_t>::max()) return ids;
    ids[best] = merges.Find(ids[best], ids[best + 1])->token;
    ids.erase(ids.begin() + best + 1);
  }
}

TEST(Bpe, JoinsTheLowestRankFirstAndTheLeftmostOfEquals) {
  TestVocabulary vocabulary;
  int32_t bc = vocabulary.Merge("b", "c");
  int32_t ab = vocabulary.Merge("a", "b");
  int32_t aa = vocabulary.Merge("a", "a");
  MergeTable merges = TableOf(vocabulary.Data());
  BpeEncoder bpe(merges, nullptr, 0);
  Ids ids;
  bpe.Encode("abc", &ids);
  EXPECT_THAT(ids, ElementsAre(ByteId('a'), bc)) << "not ab first";
  ids.clear();
  bpe.Encode("aaab", &ids);
  EXPECT_THAT(ids, ElementsAre(aa, ab));
}

TEST(Bpe, EqualsTheDefinitionForShortAndLongWords) {
  // All lengths around the border between the two ways, over few letters, so that much merges.
  TestVocabulary vocabulary;
  for (const char* merge : {"a b", "b a", "ab ab", "a a", "abab a", "aa b", "ba c", "c c", "cc cc",
                            "b b", "bb c", "aab abab"}) {
    std::string text = merge;
    size_t space = text.find(' ');
    vocabulary.Merge(text.substr(0, space), text.substr(space + 1));
  }
  MergeTable merges = TableOf(vocabulary.Data());
  BpeEncoder cached(merges, nullptr, 1 << 20);
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string word(random() % 70, '\0');
    for (char& c : word) c = static_cast<char>('a' + random() % 3);
    Ids expected = ByDefinition(merges, word);
    for (int repeat = 0; repeat < 2; ++repeat) {  // the second comes from the cache
      Ids ids;
      cached.Encode(word, &ids);
      ASSERT_EQ(ids, expected) << word;
    }
  }
}

TEST(Bpe, EqualsTheDefinitionWithQwen3sMerges) {
  VocabularyFixture file = LoadVocabularyFixture(INFER_TEST_DATA "/qwen3-vocab.gguf");
  MergeTable merges = TableOf(file.data);
  BpeEncoder bpe(merges, nullptr, 0);
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    std::string word;
    while (word.size() < 10 + random() % 300) {
      word += file.data.tokens[random() % file.data.tokens.size()];
    }
    Ids ids;
    bpe.Encode(word, &ids);
    ASSERT_EQ(ids, ByDefinition(merges, word)) << word;
  }
}

}  // namespace
}  // namespace infer
