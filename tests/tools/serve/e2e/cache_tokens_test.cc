// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/cache_tokens.h"

#include <gtest/gtest.h>

namespace infer::serve {
namespace {

TEST(DefaultCacheTokens, AreThoseOfAllRequestsIfTheyFit) {
  EXPECT_EQ(DefaultCacheTokens(4096, 64, 1000, uint64_t{1} << 40), 4096 * 64);
  EXPECT_EQ(DefaultCacheTokens(4096, 64, 1000, std::nullopt), 4096 * 64);
}

TEST(DefaultCacheTokens, LeaveHalfOfTheMemory) {
  EXPECT_EQ(DefaultCacheTokens(4096, 64, 1000, 20'000'000), 10'000);
}

TEST(DefaultCacheTokens, AreEnoughForOneRequest) {
  EXPECT_EQ(DefaultCacheTokens(4096, 64, 1000, 1'000'000), 4096);
}

}  // namespace
}  // namespace infer::serve
