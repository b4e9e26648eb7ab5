// SPDX-License-Identifier: Apache-2.0
#include "ir/text/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<TokenKind, std::string>> Lex(std::string_view text) {
  std::vector<std::pair<TokenKind, std::string>> tokens;
  Lexer lexer(text);
  for (Token token = lexer.Next(); token.kind != TokenKind::kEnd; token = lexer.Next()) {
    tokens.emplace_back(token.kind, token.text);
  }
  return tokens;
}

TEST(Lexer, TellsRangesFromFractions) {
  EXPECT_THAT(Lex("1..512 1.5 -2e-06"),
              ElementsAre(Pair(TokenKind::kNumber, "1"), Pair(TokenKind::kPunct, ".."),
                          Pair(TokenKind::kNumber, "512"), Pair(TokenKind::kNumber, "1.5"),
                          Pair(TokenKind::kNumber, "-2e-06")));
}

TEST(Lexer, HexDigitsTakeNoSign) {
  EXPECT_THAT(Lex("0x1e-5"),
              ElementsAre(Pair(TokenKind::kNumber, "0x1e"), Pair(TokenKind::kNumber, "-5")));
}

TEST(Lexer, NamesTakeDotsDashesAndSlashes) {
  EXPECT_THAT(Lex("%a.b-c/0,@g %\"a b\"~2 %n~10~"),
              ElementsAre(Pair(TokenKind::kValue, "%a.b-c/0"), Pair(TokenKind::kPunct, ","),
                          Pair(TokenKind::kAt, "@g"), Pair(TokenKind::kValue, "%\"a b\"~2"),
                          Pair(TokenKind::kValue, "%n~10"), Pair(TokenKind::kBad, "~")));
}

TEST(Lexer, StringsEndOnTheirLine) {
  EXPECT_THAT(Lex(R"("a\"b" "\\")"), ElementsAre(Pair(TokenKind::kString, R"("a\"b")"),
                                                 Pair(TokenKind::kString, R"("\\")")));
  EXPECT_THAT(Lex("\"a\nb\""),
              ElementsAre(Pair(TokenKind::kBad, "\"a"), Pair(TokenKind::kWord, "b"),
                          Pair(TokenKind::kBad, "\"")));
  EXPECT_THAT(Lex("\"a\\"), ElementsAre(Pair(TokenKind::kBad, "\"a\\")));
}

TEST(Lexer, SkipsComments) {
  EXPECT_THAT(Lex("# x\n a # y"), ElementsAre(Pair(TokenKind::kWord, "a")));
  EXPECT_THAT(Lex("\"#\""), ElementsAre(Pair(TokenKind::kString, "\"#\"")));
}

TEST(Lexer, BytesOutsideTheGrammarAreBad) {
  EXPECT_THAT(Lex(std::string_view("\0%", 2)),
              ElementsAre(Pair(TokenKind::kBad, std::string(1, '\0')), Pair(TokenKind::kBad, "%")));
  EXPECT_THAT(Lex("\xff"), ElementsAre(Pair(TokenKind::kBad, "\xff")));
}

}  // namespace
}  // namespace infer
