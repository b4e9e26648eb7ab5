// SPDX-License-Identifier: Apache-2.0
#include "runtime/stop_strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/random.h"

namespace infer {
namespace {

StopStrings Make(std::vector<std::string> stops) {
  absl::StatusOr<StopStrings> matcher = StopStrings::Create(std::move(stops));
  EXPECT_TRUE(matcher.ok()) << matcher.status();
  return *std::move(matcher);
}

TEST(StopStrings, WithoutStopsTextPassesAtOnce) {
  StopStrings stops = Make({});
  EXPECT_EQ(stops.Push("abc"), "abc");
  EXPECT_EQ(stops.Finish(), "");
  EXPECT_EQ(stops.found(), std::nullopt);
}

TEST(StopStrings, HoldsBackAPossibleBeginningAndLetsItGo) {
  StopStrings stops = Make({"END"});
  EXPECT_EQ(stops.Push("say E"), "say ");
  EXPECT_EQ(stops.Push("N"), "");
  EXPECT_EQ(stops.Push("T"), "ENT");
  EXPECT_EQ(stops.found(), std::nullopt);
}

TEST(StopStrings, NothingOfTheStopStringComesOut) {
  StopStrings stops = Make({"END"});
  EXPECT_EQ(stops.Push("the E"), "the ");
  EXPECT_EQ(stops.Push("ND of it"), "");
  EXPECT_EQ(stops.found(), 0u);
  EXPECT_EQ(stops.Push("more"), "");
  EXPECT_EQ(stops.Finish(), "");
}

TEST(StopStrings, FinishGivesWhatWasHeld) {
  StopStrings stops = Make({"END"});
  EXPECT_EQ(stops.Push("EN"), "");
  EXPECT_EQ(stops.Finish(), "EN");
  EXPECT_EQ(stops.found(), std::nullopt);
}

TEST(StopStrings, APrefixThatStartsInsideAFailedOneIsFound) {
  StopStrings stops = Make({"aab"});
  EXPECT_EQ(stops.Push("aaa"), "a");
  EXPECT_EQ(stops.Push("b"), "");
  EXPECT_EQ(stops.found(), 0u);
}

TEST(StopStrings, TheFirstCompleteOneWins) {
  StopStrings stops = Make({"abcd", "bc"});
  EXPECT_EQ(stops.Push("xabcd"), "xa");
  EXPECT_EQ(stops.found(), 1u);
}

TEST(StopStrings, OfThoseCompleteAtTheSameByteTheLongestWins) {
  StopStrings stops = Make({"\n", "\n\n", "Human:\n\n"});
  EXPECT_EQ(stops.Push("hi Human:"), "hi ");
  EXPECT_EQ(stops.Push("\n"), "Human:");
  EXPECT_EQ(stops.found(), 0u);
  StopStrings longest = Make({"c", "bc", "abc"});
  EXPECT_EQ(longest.Push("abc"), "");
  EXPECT_EQ(longest.found(), 2u);
}

TEST(StopStrings, WorksOnBytesAndKeepsCharactersWhole) {
  StopStrings stops = Make({"\xC3\xA9!"});
  EXPECT_EQ(stops.Push("caf\xC3\xA8"), "caf\xC3\xA8");
  EXPECT_EQ(stops.Push("\xC3\xA9"), "");
  EXPECT_EQ(stops.Push("?"), "\xC3\xA9?");
  StopStrings zero = Make({std::string("\0x", 2)});
  EXPECT_EQ(zero.Push(std::string_view("a\0", 2)), "a");
  EXPECT_EQ(zero.Push("x"), "");
  EXPECT_EQ(zero.found(), 0u);
}

TEST(StopStrings, LimitsAreErrorsThatNameTheFlag) {
  EXPECT_TRUE(StopStrings::Create(std::vector<std::string>(16, std::string(256, 'a'))).ok());
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>(17, "a"), {std::string(257, 'a')}, {"a", ""}}) {
    const absl::Status status = StopStrings::Create(bad).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("stop string"));
  }
}

// The meaning, said plainly: the shortest text that ends in a stop string is cut before the longest
// one it ends in.
struct Cut {
  std::string text;
  std::optional<size_t> found;
};
Cut CutNaively(const std::string& text, const std::vector<std::string>& stops) {
  for (size_t end = 1; end <= text.size(); ++end) {
    std::optional<size_t> best;
    for (size_t i = 0; i < stops.size(); ++i) {
      if (!std::string_view(text).substr(0, end).ends_with(stops[i])) continue;
      if (!best || stops[i].size() > stops[*best].size()) best = i;
    }
    if (best) return {text.substr(0, end - stops[*best].size()), best};
  }
  return {text, std::nullopt};
}

TEST(StopStrings, EqualsTheNaiveSearchHoweverTheTextIsCut) {
  Random random(3);
  const auto below = [&random](uint64_t limit) { return random.Next() % limit; };
  const auto word = [&](uint64_t longest) {
    std::string text(1 + below(longest), 'a');
    for (char& c : text) c = static_cast<char>('a' + below(2));  // two letters: many near misses
    return text;
  };
  int found = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> stops(1 + below(3));
    for (std::string& stop : stops) stop = word(7);
    const std::string text = word(24);
    const Cut expected = CutNaively(text, stops);
    StopStrings matcher = Make(stops);
    std::string shown;
    for (size_t at = 0; at < text.size();) {
      const size_t bytes = std::min<size_t>(1 + below(5), text.size() - at);
      shown += matcher.Push(std::string_view(text).substr(at, bytes));
      at += bytes;
      ASSERT_TRUE(expected.text.starts_with(shown)) << text;
    }
    shown += matcher.Finish();
    ASSERT_EQ(shown, expected.text) << text;
    ASSERT_EQ(matcher.found(), expected.found) << text;
    found += expected.found.has_value() ? 1 : 0;
  }
  EXPECT_GT(found, 1000);
  EXPECT_LT(found, 19000);
}

}  // namespace
}  // namespace infer
