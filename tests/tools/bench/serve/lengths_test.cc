// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/lengths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tools/cli/exit_code.h"

namespace infer::load {
namespace {

std::vector<int64_t> Drawn(const std::string& text, int count = 20'000) {
  const absl::StatusOr<Lengths> lengths = Lengths::Parse("-p", text);
  EXPECT_TRUE(lengths.ok()) << lengths.status();
  Random random(7);
  std::vector<int64_t> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(lengths->Draw(random));
  return drawn;
}

TEST(Lengths, ANumberIsThatNumber) {
  const std::vector<int64_t> drawn = Drawn("128");
  EXPECT_EQ(std::ranges::min(drawn), 128);
  EXPECT_EQ(std::ranges::max(drawn), 128);
}

TEST(Lengths, UniformReachesBothEndsEquallyOften) {
  const std::vector<int64_t> drawn = Drawn("uniform:3,6");
  for (int64_t value = 3; value <= 6; ++value) {
    EXPECT_NEAR(std::ranges::count(drawn, value), 5000, 300) << value;
  }
}

TEST(Lengths, LognormalHasItsMedianAndSpread) {
  std::vector<int64_t> drawn = Drawn("lognormal:200,0.5");
  std::ranges::sort(drawn);
  EXPECT_NEAR(static_cast<double>(drawn[10'000]), 200, 5);
  // One sigma above the median are 84.13 % of all.
  EXPECT_NEAR(static_cast<double>(drawn[16'826]), 200 * std::exp(0.5), 10);
  EXPECT_NEAR(static_cast<double>(drawn[3'174]), 200 * std::exp(-0.5), 5);
}

TEST(Lengths, LognormalStaysBelowItsHighest) {
  const std::vector<int64_t> drawn = Drawn("lognormal:200,2,500");
  EXPECT_EQ(std::ranges::max(drawn), 500);
  EXPECT_GE(std::ranges::min(drawn), 1);
}

class LengthsFileTest : public ::testing::Test {
 protected:
  ~LengthsFileTest() override { std::filesystem::remove(path_); }
  absl::StatusOr<Lengths> Parse(const std::string& content) {
    std::ofstream(path_) << content;
    return Lengths::Parse("-p", "file:" + path_);
  }
  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("lengths-" + std::to_string(getpid()))).string();
};

TEST_F(LengthsFileTest, DrawsFromTheNumbers) {
  const auto lengths = Parse("10 20\n30\n");
  ASSERT_TRUE(lengths.ok()) << lengths.status();
  Random random(1);
  std::vector<int64_t> drawn;
  for (int i = 0; i < 100; ++i) drawn.push_back(lengths->Draw(random));
  std::ranges::sort(drawn);
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  EXPECT_THAT(drawn, ::testing::ElementsAre(10, 20, 30));
  EXPECT_EQ(lengths->highest(), 30);
}

TEST_F(LengthsFileTest, RefusesWhatIsNotANumber) {
  for (const char* content : {"", " \n", "10 -3", "ten", "10,20", "99999999999999999999", "0"}) {
    const auto lengths = Parse(content);
    ASSERT_FALSE(lengths.ok()) << content;
    EXPECT_EQ(ExitCodeFor(lengths.status()), kExitBadInput) << content;
  }
}

TEST(Lengths, RefusesOtherTexts) {
  for (const char* text :
       {"", "0", "-1", "many", "1.5", "uniform:", "uniform:5", "uniform:6,3", "uniform:1,2,3",
        "lognormal:100", "lognormal:0,1", "lognormal:100,-1", "lognormal:100,nan",
        "lognormal:100,99", "normal:1,2", "99999999999", "1,2"}) {
    const auto lengths = Lengths::Parse("-p", text);
    ASSERT_FALSE(lengths.ok()) << text;
    EXPECT_EQ(ExitCodeFor(lengths.status()), kExitUsage) << text;
    EXPECT_THAT(std::string(lengths.status().message()), ::testing::StartsWith("-p '"));
  }
  EXPECT_EQ(ExitCodeFor(Lengths::Parse("-p", "file:/no/such/file").status()), kExitBadInput);
}

TEST(Lengths, ExponentialHasItsMean) {
  Random random(3);
  double sum = 0;
  int above = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double value = DrawExponential(0.5, random);
    sum += value;
    above += value > 0.5;
  }
  EXPECT_NEAR(sum / 20'000, 0.5, 0.02);
  EXPECT_NEAR(above / 20'000.0, std::exp(-1), 0.02);
}

TEST(RandomFor, DependsOnEachNumber) {
  const uint64_t base = RandomFor(1, 2, 3).Next();
  EXPECT_EQ(RandomFor(1, 2, 3).Next(), base);
  EXPECT_NE(RandomFor(2, 2, 3).Next(), base);
  EXPECT_NE(RandomFor(1, 3, 3).Next(), base);
  EXPECT_NE(RandomFor(1, 2, 4).Next(), base);
  EXPECT_NE(RandomFor(1, 3, 2).Next(), base);
}

}  // namespace
}  // namespace infer::load
