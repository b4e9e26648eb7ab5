// SPDX-License-Identifier: Apache-2.0
#include "tools/profile/profile_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/runtime/sample_profile.h"

namespace infer {
namespace {

using test::SampleProfile;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProfileText, ShowsWhereTheTimeGoes) {
  const std::string text = ProfileText(SampleProfile());
  EXPECT_THAT(text, HasSubstr("profile  model.gguf, policy parallel, 2 threads by team, estimates "
                              "for a generic machine\n"));
  EXPECT_THAT(text, HasSubstr("regime of T 1..512: 11 calls, 0.150 ms, steps 0.138 ms (92.0 %)"));
  EXPECT_THAT(text, HasSubstr("10 calls with T = 1, S = 15 on average"));
  EXPECT_THAT(text, HasSubstr("estimate of the calls 0.096 ms (0.80 of the measurement)"));
  EXPECT_THAT(text,
              HasSubstr("\none call: mean 0.012 ms, median 0.011 ms; estimate 0.010 ms, 0.80 of "
                        "the mean, 0.87 of the median\n"));
  EXPECT_THAT(text, ContainsRegex("share +mean p50 us +worst p95 us +wait"));
  // Share, p50, p95, wait, imbalance, estimate, measurement, ratio.
  EXPECT_THAT(text,
              ContainsRegex("layer.\\*/attn/q_proj x 2 +linear +parallel +linear_q8_0_parallel +20 "
                            "+81.8 % +4.50 +6.00 +10.0 % +1.11 +4.00 +4.50 +0.89"));
  EXPECT_THAT(text, ContainsRegex("rms_norm +simd +2 +20 +18.2 %"));  // of the summary by op
  EXPECT_NE(text.back(), '\n');
}

TEST(ProfileText, HasNoEstimateWhereNoneWasMade) {
  const std::string text = ProfileText(SampleProfile());
  EXPECT_THAT(text, ContainsRegex("1 call with T = 12.*\n"));
  EXPECT_THAT(text, ContainsRegex("attn/norm x 2 .* +- +7.00 +-"));
  EXPECT_THAT(text, HasSubstr("\none call: mean 0.030 ms\n"));
  Profile none = SampleProfile();
  none.machine.clear();
  EXPECT_THAT(ProfileText(none), HasSubstr("no estimates\n"));
}

TEST(ProfileText, ShowsAsManyLinesAsAskedFor) {
  EXPECT_THAT(ProfileText(SampleProfile(), 1), HasSubstr("and 1 more lines"));
  EXPECT_THAT(ProfileText(SampleProfile(), 0), Not(HasSubstr("more lines")));
}

// The other thread waits here for the step before, 30 times as long as thread 0 is in this one.
TEST(ProfileText, NobodyWaitsMoreThanAllOfTheTime) {
  Profile profile = SampleProfile();
  NodeTiming& product = profile.regimes[0].groups[0].timings[1];
  product.wait_ns = 30 * product.total_ns;
  const std::string text = ProfileText(profile, 0);
  // (1200 + 10) of 1200 + 10 + 72 + 90 us.
  EXPECT_THAT(text, ContainsRegex("layer.\\*/attn/q_proj x 2 .* 88.2 % "));
  EXPECT_THAT(text, Not(ContainsRegex("[1-9][0-9][0-9][0-9]*\\.[0-9] %")));
  const auto json = nlohmann::json::parse(ProfileJson(profile));
  const auto& group = json["regimes"][0]["groups"][0];
  EXPECT_DOUBLE_EQ(group["nodes"][1]["wait_share"].get<double>(), 1200.0 / 1272);
  EXPECT_DOUBLE_EQ(group["ops"][0]["wait_share"].get<double>(), 1210.0 / 1372);
  EXPECT_DOUBLE_EQ(group["wait_share"].get<double>(), 1230.0 / (1230 + 182));
}

TEST(ProfileText, RegimesWithoutCallsSaySo) {
  Profile profile = SampleProfile();
  profile.regimes[0].groups.clear();
  EXPECT_THAT(ProfileText(profile), HasSubstr("regime of T 1..512: 0 calls"));
}

TEST(ProfileText, EscapesWhatATerminalWouldObey) {
  Profile profile = SampleProfile();
  profile.regimes[0].nodes[0].name = "layer.0/\x1b[2J";
  EXPECT_THAT(ProfileText(profile), Not(HasSubstr("\x1b")));
}

TEST(ProfileJson, HasEveryNode) {
  const auto json = nlohmann::json::parse(ProfileJson(SampleProfile()));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["policy"], "parallel");
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["program"], "feedfacecafebeef");
  const auto& regime = json["regimes"][0];
  EXPECT_EQ(regime["tokens"], nlohmann::json({1, 512}));
  EXPECT_EQ(regime["calls"], 11);
  const auto& group = regime["groups"][0];
  EXPECT_EQ(group["mean"]["S"], 15);
  EXPECT_EQ(group["estimate_over_measurement"], 96.0 / 120);
  ASSERT_EQ(group["nodes"].size(), 4u);
  EXPECT_EQ(group["nodes"][1]["id"], "0000000000000002");
  EXPECT_EQ(group["nodes"][1]["name"], "layer.0/attn/q_proj");
  EXPECT_EQ(group["nodes"][1]["p95_ns"], 6000);
  EXPECT_EQ(group["nodes"][1]["wait_ns"], 8000);
  EXPECT_EQ(group["ops"][0]["op"], "linear");
  EXPECT_EQ(group["ops"][0]["mean_p50_ns"], 4500);
  EXPECT_EQ(group["ops"][0]["worst_p95_ns"], 6000);
  EXPECT_EQ(group["one_call"]["estimate_ns"], 9600.0);
  EXPECT_EQ(group["one_call"]["median_ns"], 11000.0);
  EXPECT_EQ(group["one_call"]["estimate_over_mean"], 96.0 / 120);
}

TEST(ProfileJson, HasTheTimelineOfACall) {
  const auto json = nlohmann::json::parse(ProfileJson(SampleProfile()));
  const auto& groups = json["regimes"][0]["groups"];
  const auto& timeline = groups[0]["timeline"];
  EXPECT_EQ(timeline["S"], 15);
  EXPECT_EQ(timeline["wall_ns"], 11000);
  ASSERT_EQ(timeline["threads"].size(), 2u);
  EXPECT_EQ(timeline["threads"][0][1], nlohmann::json({1100, 5000, 5200, 300}));
  EXPECT_FALSE(groups[1].contains("timeline"));
}

}  // namespace
}  // namespace infer
