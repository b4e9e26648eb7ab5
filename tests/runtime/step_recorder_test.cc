// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_recorder.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "backends/backends.h"
#include "runtime/executor.h"
#include "tests/runtime/tiny_program.h"
#include "tests/support/loaded_program.h"

namespace infer {
namespace {

struct Calls : CallObserver {
  void AfterCall(const RecordedCall& call) override {
    calls.push_back(call);
    copies.push_back(*call.events);
  }
  std::vector<RecordedCall> calls;
  std::vector<StepEvents> copies;
};

class StepRecorderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto created =
        test::LoadedProgram::Create(test::TwoRegimeProgram(weights_), weights_, *registry_);
    ASSERT_TRUE(created.ok()) << created.status();
    loaded_ = *std::move(created);
    recorder_ = std::make_unique<StepRecorder>(loaded_->executable().program(), 1);
    recorder_->Add(&calls_);
  }

  absl::Status Run(std::vector<int32_t> ids, const std::atomic<bool>* stop = nullptr) {
    const std::vector<int32_t> out_rows = {0};
    Batch batch;
    batch.out_rows = out_rows;
    const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(std::span(ids)), {}};
    RunContext context;
    context.stop = stop;
    context.recorder = recorder_.get();
    return loaded_->executor().Run({std::ssize(ids), 1, 1}, inputs, batch, context);
  }

  test::VectorWeights weights_ = test::TinyWeights();
  std::unique_ptr<KernelRegistry> registry_ = MakeKernelRegistry();
  std::unique_ptr<test::LoadedProgram> loaded_;
  std::unique_ptr<StepRecorder> recorder_;
  Calls calls_;
};

TEST_F(StepRecorderTest, ShowsEachCallWithTheTimesOfItsSteps) {
  ASSERT_EQ(Run({1}), absl::OkStatus());
  ASSERT_EQ(Run({1, 2, 3}), absl::OkStatus());
  ASSERT_EQ(calls_.calls.size(), 2u);
  EXPECT_EQ(calls_.calls[0].regime, 0);
  EXPECT_EQ(calls_.calls[1].regime, 1);
  EXPECT_EQ(calls_.calls[1].symbols.t, 3);
  for (int i : {0, 1}) {
    const RecordedCall& call = calls_.calls[i];
    std::span<const StepEvent> steps = calls_.copies[i].thread(0);
    ASSERT_EQ(steps.size(), 4u);  // embed, scale, select_rows, linear
    int64_t now = call.start_ns;
    for (const StepEvent& step : steps) {
      EXPECT_GE(step.start_ns, now);
      EXPECT_GE(step.end_ns, step.start_ns);
      now = step.end_ns;
    }
    EXPECT_GE(call.end_ns, now);
  }
}

TEST_F(StepRecorderTest, SaysNothingOfACallThatFailed) {
  EXPECT_NE(Run({99}), absl::OkStatus());  // no such row
  const std::atomic<bool> stop = true;
  EXPECT_EQ(Run({1}, &stop).code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(calls_.calls.empty());
  ASSERT_EQ(Run({1}), absl::OkStatus());
  EXPECT_EQ(calls_.calls.size(), 1u);
}

}  // namespace
}  // namespace infer
