// SPDX-License-Identifier: Apache-2.0
//
// Whole sessions on a software device that is steered: what they leave behind, and what they do on
// an older system or after a failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/metal/choose_metal.h"
#include "ir/text/printer.h"
#include "tests/metal_emulation/emulation.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using test::LoadedModel;
using test::LogitsOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<int32_t> kTenTokens = {1, 20, 300, 45, 6, 70, 8, 90, 10, 11};

// A session on the device of the moment's settings, and all of it gone when a test ends.
class MetalSession : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv(metal::kEmulationVariable, "1", 1);
    live_before_ = emulation::LiveObjects();
    Open();
  }
  void TearDown() override {
    Close();
    EXPECT_EQ(emulation::LiveObjects(), live_before_);
    EXPECT_THAT(emulation::TakeProblems(), IsEmpty());
    EXPECT_EQ(emulation::counters().sets_never_requested, never_requested_before_);
  }

  // Prompts in two chunks.
  void Open() {
    model_.emplace("");
    session_ =
        model_->NewSession({.policy = "metal", .place = {"op=*=metal"}, .context = 32, .chunk = 6});
  }
  void Close() {
    session_.reset();
    model_.reset();
  }

  // Logits after the prompt and after each of two more tokens.
  std::vector<std::vector<float>> Generate() {
    std::vector<std::vector<float>> logits;
    EXPECT_EQ(session_->Prefill(kTenTokens), absl::OkStatus());
    logits.push_back(LogitsOf(*session_));
    for (int32_t token : {12, 13}) {
      EXPECT_EQ(session_->Decode(token), absl::OkStatus());
      logits.push_back(LogitsOf(*session_));
    }
    return logits;
  }

  std::optional<LoadedModel> model_;
  std::unique_ptr<Session> session_;
  size_t live_before_ = 0;
  const uint64_t never_requested_before_ = emulation::counters().sets_never_requested;
};

TEST_F(MetalSession, WithoutResidencySetsTheBitsAreTheSame) {
  const uint64_t requests = emulation::counters().residency_requests;
  EXPECT_GT(requests, 0u);
  const std::vector<std::vector<float>> expected = Generate();
  Close();
  EXPECT_EQ(emulation::LiveObjects(), live_before_);

  Settings none;
  none.has_residency_sets = false;
  ScopedSettings scope(none);
  Open();
  EXPECT_EQ(Generate(), expected);
  EXPECT_EQ(emulation::counters().residency_requests, requests);
}

// A token would wait for memory that is wired only then.
TEST_F(MetalSession, AllIsWiredBeforeTheFirstToken) {
  ASSERT_EQ(session_->Prefill(kTenTokens), absl::OkStatus());
  const uint64_t requests = emulation::counters().residency_requests;
  const size_t live = emulation::LiveObjects();
  for (int32_t token = 20; token < 24; ++token) {
    ASSERT_EQ(session_->Decode(token), absl::OkStatus());
  }
  EXPECT_EQ(emulation::counters().residency_requests, requests);
  EXPECT_EQ(emulation::LiveObjects(), live);
}

// The second chunk of the prompt, then a token.
TEST_F(MetalSession, AFailureInMidSequenceIsReportedAndPlacesNothingAnew) {
  const std::vector<std::vector<float>> expected = Generate();
  const std::string program = PrintProgram(session_->program());
  session_->Clear();
  Settings failing;
  {
    failing.failing_commit = 2;
    ScopedSettings scope(failing);
    const absl::Status status = session_->Prefill(kTenTokens);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(status.ToString(), HasSubstr("metal: one of the steps from node"));
    EXPECT_THAT(status.ToString(), HasSubstr("kernel embed_q8_0_metal to node"));
    EXPECT_THAT(status.ToString(), HasSubstr("injected failure"));
  }
  EXPECT_EQ(session_->tokens().size(), 6u);  // the first chunk
  ASSERT_EQ(session_->Prefill(kTenTokens), absl::OkStatus());
  EXPECT_EQ(LogitsOf(*session_), expected[0]);
  {
    failing.failing_commit = 1;
    ScopedSettings scope(failing);
    EXPECT_EQ(session_->Decode(12).code(), absl::StatusCode::kInternal);
  }
  EXPECT_EQ(session_->tokens().size(), kTenTokens.size());
  EXPECT_THAT(model_->registry().Failures(), IsEmpty());
  EXPECT_EQ(PrintProgram(session_->program()), program);
  ASSERT_EQ(session_->Decode(12), absl::OkStatus());
  EXPECT_EQ(LogitsOf(*session_), expected[1]);
}

}  // namespace
}  // namespace infer
