// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flag_advice.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/base/advice.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

bool Every(std::string_view) { return true; }
bool None(std::string_view) { return false; }

TEST(FlagAdvice, NamesFlagsBehindTheMessage) {
  const absl::Status full = WithAdvice(absl::ResourceExhaustedError("full; use a larger context"),
                                       {Advice::kContext, Advice::kKvType});
  const absl::Status shown = WithFlagAdvice(full, Every);
  EXPECT_EQ(shown.message(), "full; use a larger context (-c, --kv-type)");
  EXPECT_EQ(shown.code(), full.code());
}

TEST(FlagAdvice, LeavesOutFlagsThatTheToolDoesNotHave) {
  const absl::Status full = WithAdvice(absl::ResourceExhaustedError("full"), {Advice::kContext});
  EXPECT_EQ(WithFlagAdvice(full, None).message(), "full");
  const absl::Status stale =
      WithAdvice(absl::UnavailableError("stale"), {Advice::kModel, Advice::kCompile});
  EXPECT_EQ(WithFlagAdvice(stale, None).message(), "stale (infer-compile)");
}

TEST(FlagAdvice, KeepsTheExitCode) {
  const absl::Status wrong = WithAdvice(UsageError("wrong"), {Advice::kPlace});
  EXPECT_EQ(ExitCodeFor(WithFlagAdvice(wrong, Every)), kExitUsage);
}

TEST(FlagAdvice, EveryAdviceHasItsText) {
  for (int i = 0; i <= static_cast<int>(Advice::kCheckFile); ++i) {
    const absl::Status status = WithAdvice(absl::UnknownError("x"), {static_cast<Advice>(i)});
    EXPECT_NE(WithFlagAdvice(status, Every).message(), "x") << i;
  }
}

}  // namespace
}  // namespace infer
