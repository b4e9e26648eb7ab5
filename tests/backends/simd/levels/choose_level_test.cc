// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/levels/choose_level.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/backends/simd/runnable_levels.h"

namespace infer::simd {
namespace {

using ::testing::HasSubstr;

TEST(Level, BestThatRunsHereIsChosen) {
  const LevelChoice choice = ChooseLevel("");
  ASSERT_TRUE(choice.valid);
  const auto runnable = RunnableLevels();
  EXPECT_EQ(choice.level, runnable.empty() ? nullptr : runnable.back());
  EXPECT_FALSE(choice.reason.empty());
}

TEST(Level, EachThatRunsHereCanBeForced) {
  for (const Level* level : RunnableLevels()) {
    const LevelChoice choice = ChooseLevel(level->name);
    EXPECT_TRUE(choice.valid);
    EXPECT_EQ(choice.level, level) << level->name;
  }
}

TEST(Level, ScalarIsNoLevelAndNoError) {
  const LevelChoice choice = ChooseLevel("scalar");
  EXPECT_TRUE(choice.valid);
  EXPECT_EQ(choice.level, nullptr);
  EXPECT_EQ(choice.reason, "INFER_CPU=scalar");
}

TEST(Level, UnknownNameIsRefusedWithASuggestion) {
  const LevelChoice choice = ChooseLevel("avx51");
  EXPECT_FALSE(choice.valid);
  EXPECT_EQ(choice.level, nullptr);
  EXPECT_THAT(choice.reason, HasSubstr("INFER_CPU=avx51 is not a level"));
  EXPECT_THAT(choice.reason, HasSubstr("did you mean avx512?"));
}

TEST(Level, NameOfAnotherArchitectureIsRefused) {
#if defined(__aarch64__)
  const LevelChoice choice = ChooseLevel("avx2");
#else
  const LevelChoice choice = ChooseLevel("neon");
#endif
  EXPECT_FALSE(choice.valid);
  EXPECT_THAT(choice.reason, HasSubstr("another architecture"));
}

TEST(Level, ThatTheCpuLacksIsRefusedWithWhatItNeeds) {
  for (const Level* level : AllLevels()) {
    if (level->runs_here()) continue;
    const LevelChoice choice = ChooseLevel(level->name);
    EXPECT_FALSE(choice.valid);
    EXPECT_THAT(choice.reason, HasSubstr(level->needs));
  }
}

TEST(Level, EveryLevelIsComplete) {
  for (const Level* level : AllLevels()) {
    EXPECT_NE(level->vector, nullptr) << level->name;
    EXPECT_NE(level->attention, nullptr) << level->name;
    EXPECT_NE(level->makers, nullptr) << level->name;
    EXPECT_NE(level->linear, nullptr) << level->name;
    EXPECT_NE(level->linear_float, nullptr) << level->name;
  }
}

}  // namespace
}  // namespace infer::simd
