// SPDX-License-Identifier: Apache-2.0
#include "ir/base/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Advice, TravelsWithAStatus) {
  const absl::Status plain = absl::NotFoundError("gone");
  EXPECT_THAT(AdviceOf(plain), IsEmpty());
  absl::Status advised = WithAdvice(plain, {Advice::kContext, Advice::kKvType});
  EXPECT_EQ(advised.message(), "gone");
  EXPECT_THAT(AdviceOf(advised), ElementsAre(Advice::kContext, Advice::kKvType));
  advised = WithAdvice(advised, {Advice::kCheckFile});
  EXPECT_THAT(AdviceOf(advised),
              ElementsAre(Advice::kContext, Advice::kKvType, Advice::kCheckFile));
}

TEST(Advice, SurvivesAnotherMessage) {
  const absl::Status advised = WithAdvice(absl::DataLossError("bad"), {Advice::kCompile});
  const absl::Status renamed = WithMessage(advised, "file: bad");
  EXPECT_EQ(renamed.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(renamed.message(), "file: bad");
  EXPECT_THAT(AdviceOf(renamed), ElementsAre(Advice::kCompile));
}

}  // namespace
}  // namespace infer
