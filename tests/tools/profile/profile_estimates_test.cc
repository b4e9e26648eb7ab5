// SPDX-License-Identifier: Apache-2.0
#include "tools/profile/profile_estimates.h"

#include <gtest/gtest.h>

#include "runtime/profiler.h"
#include "runtime/step_recorder.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

class EstimateProfileTest : public ::testing::Test {
 protected:
  EstimateProfileTest() : model_("random_untied.gguf") {
    session_ = model_.NewSession({.policy = "scalar", .context = 64, .chunk = 16});
    StepRecorder recorder(session_->program(), 1);
    Profiler profiler(session_->program(), 1);
    recorder.Add(&profiler);
    session_->SetRecorder(&recorder);
    EXPECT_TRUE(session_->Prefill(std::vector<int32_t>(16, 5)).ok());
    EXPECT_TRUE(session_->Decode(1).ok());
    session_->SetRecorder(nullptr);
    profile_ = profiler.Finish();
  }

  test::LoadedModel model_;
  std::unique_ptr<Session> session_;
  Profile profile_;
};

TEST_F(EstimateProfileTest, FillsInEveryNodeOfEveryGroup) {
  ASSERT_FALSE(session_->program().machine.text.empty());
  ASSERT_EQ(EstimateProfile(session_->program(), &profile_), absl::OkStatus());
  EXPECT_EQ(profile_.machine, "generic");
  const ProfileRegime& regime = profile_.regimes[0];
  ASSERT_EQ(regime.groups.size(), 2u);
  for (size_t i = 0; i < regime.nodes.size(); ++i) {
    const double one = regime.groups[0].timings[i].estimate_ns;
    const double sixteen = regime.groups[1].timings[i].estimate_ns;
    EXPECT_GT(one, 0) << regime.nodes[i].name;
    EXPECT_GT(sixteen, 0) << regime.nodes[i].name;
    if (regime.nodes[i].op == "linear" && regime.nodes[i].name.starts_with("layer.0/ffn")) {
      EXPECT_GT(sixteen, one) << regime.nodes[i].name;
    }
  }
}

TEST_F(EstimateProfileTest, OfACallHasWhatBelongsToNoStep) {
  ASSERT_EQ(EstimateProfile(session_->program(), &profile_), absl::OkStatus());
  for (const CallGroup& group : profile_.regimes[0].groups) {
    double steps = 0;
    for (const NodeTiming& timing : group.timings) steps += timing.estimate_ns;
    // call_ns of passes/machines/generic.textproto; nobody is woken for scalar.
    EXPECT_NEAR(group.estimate_ns, steps + 5000, 1e-6 * steps);
  }
}

}  // namespace
}  // namespace infer
