// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/special_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/frontends/tokenizer/small_vocabulary.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Place = std::tuple<size_t, size_t, int32_t>;

struct SpecialTokensTest : ::testing::Test {
  int32_t Add(const std::string& text) { return vocabulary.Add(text, TokenType::kControl); }

  std::vector<Place> FindAll(std::string_view text) const {
    const Vocabulary made = *Vocabulary::Create(vocabulary.Data());
    const SpecialTokens tokens = *SpecialTokens::Create(made);
    SpecialTokens::Search search(tokens, made, text);
    std::vector<Place> places;
    size_t pos = 0;
    while (auto found = search.Next(pos)) {
      places.emplace_back(found->begin, found->end, found->id);
      pos = found->end;
    }
    return places;
  }

  // The same, by trying every token at every byte.
  std::vector<Place> TryAll(std::string_view text, int32_t first_id) const {
    const Vocabulary made = *Vocabulary::Create(vocabulary.Data());
    std::vector<Place> places;
    for (size_t pos = 0; pos < text.size();) {
      int32_t longest = -1;
      for (int32_t id = first_id; id < made.token_count(); ++id) {
        if (!text.substr(pos).starts_with(made.text(id))) continue;
        if (longest < 0 || made.text(id).size() > made.text(longest).size()) longest = id;
      }
      if (longest < 0) {
        ++pos;
        continue;
      }
      places.emplace_back(pos, pos + made.text(longest).size(), longest);
      pos += made.text(longest).size();
    }
    return places;
  }

  TestVocabulary vocabulary;
};

TEST_F(SpecialTokensTest, AreTheLeftmostAndThenTheLongest) {
  const int32_t inner = Add("bc");
  const int32_t outer = Add("abcd");
  const int32_t first = Add("ab");
  EXPECT_THAT(FindAll("abce"), ElementsAre(Place(0, 2, first)));
  EXPECT_THAT(FindAll("xabcdbc"), ElementsAre(Place(1, 5, outer), Place(5, 7, inner)));
  EXPECT_THAT(FindAll("xbcd"), ElementsAre(Place(1, 3, inner)));
  EXPECT_THAT(FindAll("a"), ElementsAre());
  EXPECT_THAT(FindAll(""), ElementsAre());
}

TEST_F(SpecialTokensTest, AreThoseThatTryingEveryTokenFinds) {
  std::mt19937 random(1);
  const auto word = [&](size_t max_bytes) {
    std::string text(1 + random() % max_bytes, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    vocabulary = TestVocabulary();
    std::vector<std::string> texts;
    const int32_t first_id = Add("<first>");
    for (int i = 0; i < 12; ++i) {
      const std::string text = word(6);
      if (text.size() > 1 && std::ranges::find(texts, text) == texts.end()) {
        texts.push_back(text);
        Add(text);
      }
    }
    const std::string text = word(200);
    EXPECT_EQ(FindAll(text), TryAll(text, first_id)) << text;
  }
}

TEST_F(SpecialTokensTest, AreFoundAcrossTheBlocksOfALongText) {
  const int32_t id = Add("<end>");
  std::string text((size_t{3} << 20) - 2, 'x');
  text += "<end>x";
  EXPECT_THAT(FindAll(text), ElementsAre(Place(text.size() - 6, text.size() - 1, id)));
}

// Comparing the tokens with the text at each byte would take a minute.
TEST_F(SpecialTokensTest, MayBeLongAndNearlyInTheText) {
  const std::string run(1023, 'a');
  const int32_t one = Add("aa");
  Add(run + "b");
  Add("b" + run);
  const std::vector<Place> places = FindAll(std::string(4'000'000, 'a'));
  EXPECT_EQ(places.size(), 2'000'000u);
  EXPECT_EQ(places.back(), Place(3'999'998, 4'000'000, one));
}

TEST_F(SpecialTokensTest, MustNotTakeTooMuchMemory) {
  for (int i = 0; i < 4200; ++i) Add(std::to_string(i) + std::string(1000, 'x'));
  const absl::StatusOr<Vocabulary> made = Vocabulary::Create(vocabulary.Data());
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_THAT(SpecialTokens::Create(*made).status().ToString(),
              HasSubstr("bytes together, expected at most 4194304"));
}

}  // namespace
}  // namespace infer
