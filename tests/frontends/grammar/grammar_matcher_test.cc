// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/grammar_matcher.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "frontends/grammar/gbnf.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Follows `text` and expects that no byte takes more steps than the limit.
GrammarState Follow(std::string_view text, GrammarMatcher* matcher) {
  GrammarState state = matcher->start(), next;
  for (const char c : text) {
    const size_t before = matcher->followed();
    matcher->Step(state, static_cast<uint8_t>(c), &next);
    EXPECT_LE(matcher->followed() - before, GrammarMatcher::kMaxFollowed);
    EXPECT_LE(next.positions.size(), GrammarMatcher::kMaxPositions);
    std::swap(state, next);
  }
  return state;
}

// After some bytes there is a position for each of many stacks, and each returns through all of its
// stack: a limit for each position would allow a million steps for a byte.
TEST(GrammarMatcher, AByteTakesBoundedStepsHoweverManyPositionsThereAre) {
  const auto grammar = CompileGbnf("root ::= x\nx ::= \"a\" x x x | \"a\" x x | \"\"");
  ASSERT_TRUE(grammar.ok()) << grammar.status();
  GrammarMatcher matcher(*grammar);
  Follow(std::string(100, 'a'), &matcher);
  EXPECT_TRUE(matcher.reached_limit());
}

TEST(GrammarMatcher, AByteTakesBoundedStepsHoweverManyAlternativesFollow) {
  std::string rules = "root ::= \"x\" (y | y \"1\" | y \"2\")\ny ::= \"a\"";
  for (int i = 0; i < 20'000; ++i) StrAppend(&rules, " | \"b", i, "\"");
  const auto grammar = CompileGbnf(rules);
  ASSERT_TRUE(grammar.ok()) << grammar.status();
  GrammarMatcher matcher(*grammar);
  EXPECT_FALSE(Follow("xa", &matcher).IsDead());
  EXPECT_TRUE(matcher.reached_limit());
}

// Many ways to one place are one way from there on.
TEST(GrammarMatcher, PositionsThatReturnToOnePlaceAreFollowedOnce) {
  std::string rules = "root ::= (\"a\"";
  for (int i = 0; i < 99; ++i) StrAppend(&rules, " | [a", i, "]");
  const auto grammar = CompileGbnf(rules + ") \"b\"? \"c\"? \"d\"?");
  ASSERT_TRUE(grammar.ok()) << grammar.status();
  GrammarMatcher matcher(*grammar);
  EXPECT_EQ(matcher.start().positions.size(), 100u);
  const size_t before = matcher.followed();
  EXPECT_TRUE(Follow("a", &matcher).accepts);
  EXPECT_LT(matcher.followed() - before, 20u);
}

}  // namespace
}  // namespace infer
