// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/timing_json.h"

#include <gtest/gtest.h>

#include "ir/base/json.h"
#include "runtime/profiler.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

constexpr int kTimedSteps = 10;

class TimingJsonTest : public ::testing::Test {
 protected:
  // One call of 3 tokens in which thread 0 has every step and thread 1 the first.
  Json Timing() {
    Profiler profiler(program_, 2);
    StepEvents events(kTimedSteps, 2);
    for (int i = 0; i < kTimedSteps; ++i) {
      events.thread(0)[i] = {1010 + 100 * i, 1080 + 100 * i, 1110 + 100 * i, 7};
    }
    events.thread(1)[0] = {1020, 1030, 1110, 0};
    profiler.AfterCall({0, {3, 1, 5}, 1000, 2020, &events});
    return TimingJson(profiler.Finish(), ViewRegimes(program_));
  }

  Program program_ = test::SampleProgram();
};

TEST_F(TimingJsonTest, HasARowForEachNodeOfTheProgram) {
  const Json json = Timing();
  EXPECT_EQ(json["threads"], 2);
  ASSERT_EQ(json["regimes"].size(), 2u);
  ASSERT_EQ(json["regimes"][0].size(), 1u);
  EXPECT_TRUE(json["regimes"][1].empty());
  const Json& group = json["regimes"][0][0];
  EXPECT_EQ(group["tokens"], Json({3, 3}));
  EXPECT_EQ(group["wall_ns"], 1020);
  ASSERT_EQ(group["timings"].size(), static_cast<size_t>(kTimedSteps));
  ASSERT_EQ(group["timings"][0].size(), json["columns"].size());
  EXPECT_EQ(group["timings"][0][0], 1);    // n
  EXPECT_EQ(group["timings"][0][4], 100);  // total_ns
}

TEST_F(TimingJsonTest, SaysOfAnEmulatedDeviceThatItIsOne) {
  EXPECT_FALSE(Timing().contains("emulated"));
  Profiler profiler(program_, 1);
  Profile profile = profiler.Finish();
  profile.emulated = true;
  EXPECT_EQ(TimingJson(profile, ViewRegimes(program_))["emulated"], true);
}

TEST_F(TimingJsonTest, HasTheTimelineOfACallByThreadAndNode) {
  const Json timeline = Timing()["regimes"][0][0]["timeline"];
  EXPECT_EQ(timeline["T"], 3);
  EXPECT_EQ(timeline["S"], 5);
  EXPECT_EQ(timeline["wall_ns"], 1020);
  ASSERT_EQ(timeline["threads"].size(), 2u);
  EXPECT_EQ(timeline["threads"][0][2], Json({0, 70, 30, 7}));
  EXPECT_EQ(timeline["threads"][0][0], Json({10, 70, 30, 7}));
  EXPECT_EQ(timeline["threads"][1][0], Json({20, 10, 80, 0}));
  EXPECT_TRUE(timeline["threads"][1][1].is_null());
}

TEST_F(TimingJsonTest, HasTheRowsOfExpertsByNode) {
  EXPECT_FALSE(Timing()["regimes"][0][0].contains("experts"));
  Profiler profiler(program_, 1);
  StepEvents events(kTimedSteps, 1);
  profiler.AfterCall({0, {3, 1, 5}, 1000, 2020, &events});
  Profile profile = profiler.Finish();
  profile.regimes[0].groups[0].experts = {{2, {5, 0, 1}}};
  const Json experts = TimingJson(profile, ViewRegimes(program_))["regimes"][0][0]["experts"];
  EXPECT_EQ(experts, Json::parse(R"([{"node": 2, "rows": [5, 0, 1]}])"));
}

TEST_F(TimingJsonTest, SaysNothingOfACallThatNobodyKept) {
  Profiler profiler(program_, 2);
  StepEvents events(kTimedSteps, 2);
  profiler.AfterCall({0, {3, 1, 5}, 1000, 2020, &events});
  Profile profile = profiler.Finish();
  profile.regimes[0].groups[0].timeline = {};
  EXPECT_FALSE(TimingJson(profile, ViewRegimes(program_))["regimes"][0][0].contains("timeline"));
}

}  // namespace
}  // namespace infer
