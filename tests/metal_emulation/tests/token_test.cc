// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace infer::emulation {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Texts(std::string_view text) {
  std::vector<std::string> texts;
  for (const Token& token : Tokenize(text)) {
    if (!token.blank()) texts.push_back(std::string(token.text));
  }
  return texts;
}

TEST(Tokenize, SplitsAttributesAndNames) {
  EXPECT_THAT(
      Texts("device const float* a [[buffer(0)]],"),
      ElementsAre("device", "const", "float", "*", "a", "[[", "buffer", "(", "0", ")", "]]", ","));
}

TEST(Tokenize, NumbersAreWhole) {
  EXPECT_THAT(Texts("1.5e-3f+.5h 0xFFu 1e+4 0x1e+1 1'"),
              ElementsAre("1.5e-3f", "+", ".5h", "0xFFu", "1e+4", "0x1e", "+", "1", "1", "'"));
}

TEST(Tokenize, DirectivesAreWholeWithTheirContinuations) {
  EXPECT_THAT(Texts("#define A \\\n  1\n  #if B\nx # y"),
              ElementsAre("#define A \\\n  1", "#if B", "x", "#", "y"));
}

TEST(Tokenize, TextsHideWhatLooksLikeCode) {
  EXPECT_THAT(Texts("f(\"a // \\\" b\") // c\n/* d \n */ 'e'"),
              ElementsAre("f", "(", "\"a // \\\" b\"", ")", "'e'"));
}

TEST(Tokenize, TokensJoinedAreTheText) {
  const std::string text = "#pragma once\nkernel void k(/* none */) { a[b[0]] <<= 1; } // end";
  std::string joined;
  for (const Token& token : Tokenize(text)) joined += token.text;
  EXPECT_EQ(joined, text);
}

TEST(Tokenize, CountsLines) {
  const std::vector<Token> tokens = Tokenize("a\n/* \n */ b\n\"c\"");
  EXPECT_EQ(tokens.front().line, 1);
  EXPECT_EQ(tokens.back().line, 4);
}

TEST(Closing, FindsThePartner) {
  const std::vector<Token> tokens = Tokenize("f(a(b), c)d");
  EXPECT_EQ(tokens[Closing(tokens, 1) + 1].text, "d");
  EXPECT_EQ(Closing(Tokenize("(a"), 0), 2u);
}

}  // namespace
}  // namespace infer::emulation
