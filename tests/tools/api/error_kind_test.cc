// SPDX-License-Identifier: Apache-2.0
#include "tools/api/error_kind.h"

#include <gtest/gtest.h>

#include "ir/base/advice.h"

namespace infer {
namespace {

TEST(ErrorKind, FollowsTheCode) {
  EXPECT_EQ(KindOf(absl::InternalError("x")), ErrorKind::kRuntime);
  EXPECT_EQ(KindOf(absl::InvalidArgumentError("x")), ErrorKind::kBadInput);
  EXPECT_EQ(KindOf(absl::ResourceExhaustedError("x")), ErrorKind::kNoMemory);
  EXPECT_EQ(KindOf(absl::UnimplementedError("x")), ErrorKind::kUnavailable);
  EXPECT_EQ(KindOf(absl::CancelledError("x")), ErrorKind::kCancelled);
}

TEST(ErrorKind, APayloadComesFirst) {
  EXPECT_EQ(KindOf(UsageError("x")), ErrorKind::kUsage);
  EXPECT_EQ(KindOf(VerificationFailed("x")), ErrorKind::kVerification);
  EXPECT_TRUE(AsUsageError(absl::OkStatus()).ok());
  const absl::Status refused = WithAdvice(absl::NotFoundError("no"), {Advice::kPlace});
  EXPECT_EQ(KindOf(AsUsageError(refused)), ErrorKind::kUsage);
  EXPECT_EQ(AdviceOf(AsUsageError(refused)).size(), 1u);
  EXPECT_EQ(KindOf(WithMessage(AsUsageError(refused), "other")), ErrorKind::kUsage);
}

}  // namespace
}  // namespace infer
