// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/number_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<int64_t> Numbers(const std::vector<std::string>& texts) {
  absl::StatusOr<std::vector<int64_t>> numbers = ParseNumberList("-p", texts, 0);
  EXPECT_TRUE(numbers.ok()) << numbers.status();
  return numbers.value_or(std::vector<int64_t>());
}

std::string Refusal(const std::string& text, int64_t lowest = 0) {
  absl::Status status = ParseNumberList("-p", {text}, lowest).status();
  EXPECT_EQ(ExitCodeFor(status), kExitUsage) << text;
  return std::string(ToStd(status.message()));
}

TEST(NumberList, ReadsListsAndRanges) {
  EXPECT_THAT(Numbers({"512"}), ElementsAre(512));
  EXPECT_THAT(Numbers({"1,8", "0"}), ElementsAre(1, 8, 0));
  EXPECT_THAT(Numbers({"3-6"}), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(Numbers({"16-64+16,7"}), ElementsAre(16, 32, 48, 64, 7));
  EXPECT_THAT(Numbers({"1-100*4"}), ElementsAre(1, 4, 16, 64));
  EXPECT_THAT(Numbers({"5-5"}), ElementsAre(5));
}

TEST(NumberList, RefusesWhatIsNoGrid) {
  EXPECT_THAT(Refusal("x"), StartsWith("-p 'x': 'x' is not a whole number"));
  EXPECT_THAT(Refusal("1,,2"), HasSubstr("'' is not a whole number"));
  EXPECT_THAT(Refusal("8-1"), HasSubstr("ends before it begins"));
  EXPECT_THAT(Refusal("1-8+0"), HasSubstr("does not grow"));
  EXPECT_THAT(Refusal("1-8*1"), HasSubstr("does not grow"));
  EXPECT_THAT(Refusal("0-8*2"), HasSubstr("does not grow"));
  EXPECT_THAT(Refusal("1-100000"), HasSubstr("more than 1000 numbers"));
  EXPECT_THAT(Refusal("99999999999999999999"), HasSubstr("out of range"));
  EXPECT_THAT(Refusal("9999999999999999"), HasSubstr("is more than"));
  EXPECT_THAT(Refusal("0", 1), HasSubstr("0 is below 1"));
  EXPECT_THAT(Refusal("-1"), HasSubstr("whole number"));
}

}  // namespace
}  // namespace infer
