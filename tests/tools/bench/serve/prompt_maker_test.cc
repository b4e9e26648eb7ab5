// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/prompt_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace infer::load {
namespace {

int64_t CountOf(const std::string& text, const std::vector<PromptWord>& words) {
  int64_t tokens = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin + 1), text.size());
    const std::string word = text.substr(begin, end - begin);
    tokens += std::ranges::find(words, word, &PromptWord::text)->tokens;
    begin = end;
  }
  return tokens;
}

TEST(CommonWords, AreManyAndDifferent) {
  const std::vector<std::string> words = CommonWords();
  EXPECT_GT(words.size(), 200u);
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size());
}

TEST(PromptMaker, HitsTheLengthWithWordsOfDifferentLengths) {
  const std::vector<PromptWord> words = {{" a", 1}, {" bb", 2}, {" ccc", 3}};
  const PromptMaker maker(words, 0);
  Random random(1);
  for (int64_t tokens = 1; tokens < 200; ++tokens) {
    EXPECT_EQ(CountOf(maker.Text(tokens, random), words), tokens);
  }
}

TEST(PromptMaker, LeavesRoomForWhatTheServerAdds) {
  const std::vector<PromptWord> words = {{" a", 1}, {" b", 1}};
  const PromptMaker maker(words, 12);
  Random random(1);
  EXPECT_EQ(CountOf(maker.Text(100, random), words), 88);
  EXPECT_EQ(CountOf(maker.Prefix(100, random), words), 100);
  EXPECT_EQ(CountOf(maker.Text(5, random), words), 1) << "a prompt has at least a word";
}

TEST(PromptMaker, EndsIfEveryWordIsTooLong) {
  const PromptMaker maker({{" ccc", 3}}, 0);
  Random random(1);
  EXPECT_EQ(maker.Text(4, random), " ccc ccc");
}

}  // namespace
}  // namespace infer::load
