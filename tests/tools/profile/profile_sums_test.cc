// SPDX-License-Identifier: Apache-2.0
#include "tools/profile/profile_sums.h"

#include <gtest/gtest.h>

#include "tests/runtime/sample_profile.h"

namespace infer {
namespace {

using test::SampleProfile;

TEST(ProfileSums, IdenticalLayersAreOneLineLargestFirst) {
  const Profile profile = SampleProfile();
  const ProfileRegime& regime = profile.regimes[0];
  const std::vector<ProfileLine> lines = LinesByNode(regime, regime.groups[0]);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].node, "layer.*/attn/q_proj");
  EXPECT_EQ(lines[0].nodes, 2);
  EXPECT_EQ(lines[0].kernel, "linear_q8_0_parallel");
  EXPECT_EQ(lines[0].timing.n, 20);
  EXPECT_EQ(lines[0].timing.min_ns, 3900);
  EXPECT_EQ(lines[0].timing.p50_ns, 4500);  // mean of the two
  EXPECT_EQ(lines[0].timing.p95_ns, 6000);  // the larger
  EXPECT_EQ(lines[0].timing.total_ns, 90000);
  EXPECT_EQ(lines[0].timing.wait_ns, 18000);
  EXPECT_DOUBLE_EQ(lines[0].timing.estimate_ns, 4000);
  EXPECT_NEAR(lines[0].timing.imbalance(2), 2.0 * 90 / 162, 1e-9);
  EXPECT_EQ(lines[1].node, "layer.*/attn/norm");
}

TEST(ProfileSums, LayersWithOtherKernelsOrNamesStayApart) {
  Profile profile = SampleProfile();
  ProfileRegime& regime = profile.regimes[0];
  regime.nodes[3].kernel = "linear_q4_0_parallel";
  regime.nodes[2].name = "layer./attn/norm";  // no number: not a layer
  EXPECT_EQ(LinesByNode(regime, regime.groups[0]).size(), 4u);
  EXPECT_EQ(LinesByOp(regime, regime.groups[0]).size(), 2u);
}

TEST(ProfileSums, AddUpStepsEstimatesAndCoverage) {
  const Profile profile = SampleProfile();
  const CallSums decode = SumsOf(profile.regimes[0].groups[0]);
  EXPECT_EQ(decode.calls, 10);
  EXPECT_EQ(decode.steps_ns, 110000);
  EXPECT_DOUBLE_EQ(decode.coverage(), 110.0 / 120);
  // Of calls: more than the 90000 of the steps, against the wall time and not the steps'.
  EXPECT_DOUBLE_EQ(decode.estimate_ns, 96000);
  EXPECT_DOUBLE_EQ(decode.ratio(), 96.0 / 120);
  EXPECT_DOUBLE_EQ(decode.wait_share(), 38.0 / (38 + 182));
  const CallSums all = SumsOf(profile.regimes[0]);
  EXPECT_EQ(all.calls, 11);
  EXPECT_EQ(all.wall_ns, 150000);
  EXPECT_EQ(all.steps_ns, 138000);
  EXPECT_EQ(all.estimate_ns, 0);  // the second group has none
  EXPECT_EQ(CallSums().coverage(), 0);
  EXPECT_EQ(CallSums().ratio(), 0);
  EXPECT_DOUBLE_EQ(all.wait_share(), 38.0 / (38 + 182 + 56));
  EXPECT_EQ(CallSums().wait_share(), 0);
}

TEST(ProfileSums, CompareOneCallWithMeanAndMedian) {
  const Profile profile = SampleProfile();
  const OneCall decode = OneCallOf(profile.regimes[0].groups[0]);
  EXPECT_EQ(decode.estimate_ns, 9600);
  EXPECT_EQ(decode.mean_ns, 12000);
  EXPECT_EQ(decode.median_ns, 11000);
  EXPECT_DOUBLE_EQ(decode.over_mean(), 96.0 / 120);
  EXPECT_DOUBLE_EQ(decode.over_median(), 96.0 / 110);
  const OneCall chunk = OneCallOf(profile.regimes[0].groups[1]);
  EXPECT_EQ(chunk.mean_ns, 30000);
  EXPECT_EQ(chunk.over_mean(), 0);    // no estimate
  EXPECT_EQ(chunk.over_median(), 0);  // no median either
}

}  // namespace
}  // namespace infer
