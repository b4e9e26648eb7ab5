// SPDX-License-Identifier: Apache-2.0
#include "tests/mutations/campaign.h"

#include <gtest/gtest.h>

#include "backends/simd/levels/choose_level.h"

namespace infer::test {
namespace {

// A slice of what `mutate_programs` does at length.
TEST(Campaign, NoMutatedProgramIsAcceptedThatComputesSomethingElse) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  const CampaignResult result = RunCampaign(1'000'000, 400);
  EXPECT_EQ(result.failures, "");
  EXPECT_GT(result.refused, 200);
  EXPECT_GT(result.accepted, 20);  // else the mutations are too coarse to say anything
}

}  // namespace
}  // namespace infer::test
