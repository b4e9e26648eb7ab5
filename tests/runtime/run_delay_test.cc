// SPDX-License-Identifier: Apache-2.0
#include "runtime/run_delay.h"

#include <array>

#include "gtest/gtest.h"

namespace infer {
namespace {

TEST(RunDelay, OfThisThreadIsKnownAndNeverShrinks) {
  const std::array<int, 1> self = {ThreadId()};
  const std::optional<int64_t> first = RunDelayNs(self);
  if (!first) GTEST_SKIP() << "this system does not say";
  EXPECT_GE(*first, 0);
  EXPECT_GE(*RunDelayNs(self), *first);
}

TEST(RunDelay, AThreadThatDoesNotExistHasNone) {
  const std::array<int, 1> none = {0};
  EXPECT_EQ(RunDelayNs(none), std::nullopt);
}

}  // namespace
}  // namespace infer
