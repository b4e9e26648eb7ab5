// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backends/backends.h"
#include "ir/graph/plan.h"
#include "tests/runtime/tiny_program.h"
#include "tests/support/loaded_program.h"

namespace infer {
namespace {

using test::LoadedProgram;
using test::TinyProgram;
using test::TinyWeights;
using test::TwoRegimeProgram;
using test::VectorWeights;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExecutorTest : public ::testing::Test {
 protected:
  void Use(Program program) {
    auto created = LoadedProgram::Create(std::move(program), weights_, *registry_);
    ASSERT_TRUE(created.ok()) << created.status();
    loaded_ = *std::move(created);
    executor_ = &loaded_->executor();
  }

  void SetUp() override { Use(TinyProgram(weights_)); }

  // Runs ids with the logits of the rows `out_rows`.
  absl::Status Run(std::vector<int32_t> ids, std::vector<int32_t> out_rows, RunContext context = {},
                   int64_t length = 1) {
    out_rows_ = std::move(out_rows);
    Batch batch;
    batch.out_rows = out_rows_;
    const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(std::span(ids)), {}};
    return executor_->Run({std::ssize(ids), std::ssize(out_rows_), length}, inputs, batch, context);
  }

  std::vector<float> Result(int i) const {
    const TensorView& view = executor_->result(i);
    return {view.f32(), view.f32() + view.elements()};
  }

  VectorWeights weights_ = TinyWeights();
  std::unique_ptr<KernelRegistry> registry_ = MakeKernelRegistry();
  std::unique_ptr<LoadedProgram> loaded_;
  Executor* executor_ = nullptr;
  std::vector<int32_t> out_rows_;
};

TEST_F(ExecutorTest, ComputesTheGraph) {
  ASSERT_EQ(Run({3, 0}, {1}), absl::OkStatus());
  ASSERT_EQ(executor_->num_results(), 2);
  EXPECT_THAT(Result(0), ElementsAre(0, 2, 4));
  EXPECT_THAT(Result(1), ElementsAre(60, 62, 64, 66, 0, 2, 4, 6));
}

TEST_F(ExecutorTest, ResultsHaveTheDimensionsOfTheCall) {
  ASSERT_EQ(Run({1, 2, 3}, {0, 2}), absl::OkStatus());
  EXPECT_EQ(executor_->result(0).dim(0), 2);
  EXPECT_EQ(executor_->result(1).dim(0), 3);
  EXPECT_THAT(Result(0), ElementsAre(20, 22, 24, 60, 62, 64));
  ASSERT_EQ(Run({5}, {0}), absl::OkStatus());
  EXPECT_EQ(executor_->result(0).dim(0), 1);
  EXPECT_EQ(executor_->result(1).dim(0), 1);
  EXPECT_EQ(executor_->result(1).columns(), 4);
}

TEST_F(ExecutorTest, EveryRegimeComputesTheSame) {
  Use(TwoRegimeProgram(weights_));
  ASSERT_EQ(Run({7}, {0}), absl::OkStatus());
  EXPECT_THAT(Result(0), ElementsAre(140, 142, 144));
  ASSERT_EQ(Run({7, 1, 7}, {2}), absl::OkStatus());
  EXPECT_THAT(Result(0), ElementsAre(140, 142, 144));
  EXPECT_EQ(executor_->result(1).dim(0), 3);
}

TEST_F(ExecutorTest, RefusesSymbolsOutsideTheirRanges) {
  absl::Status many = Run({0, 0, 0, 0, 0, 0, 0}, {0});
  EXPECT_EQ(many.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(many.message()), HasSubstr("T = 7 is outside the program's 1 to 6"));
  EXPECT_THAT(std::string(many.message()), HasSubstr("compile it again"));
  EXPECT_EQ(Run({}, {0}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Run({0, 0, 0}, {0, 1, 2}).message()), HasSubstr("R = 3"));
  EXPECT_EQ(Run({0}, {}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ExecutorTest, ContextMattersOnlyIfSomethingIsAsLongAsIt) {
  EXPECT_FALSE(loaded_->executable().depends_on_context());
  EXPECT_EQ(Run({0}, {0}, {}, /*length=*/1000), absl::OkStatus());
}

TEST_F(ExecutorTest, RefusesInputsOfAnotherSize) {
  const int32_t id = 1;
  const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(std::span(&id, 1)), {}};
  absl::Status status = executor_->Run({2, 1, 1}, inputs, Batch());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("input 0 of the graph has 8 bytes"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("got 4"));
  EXPECT_EQ(executor_->Run({1, 1, 1}, {}, Batch()).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ExecutorTest, RefusesIdsOutsideTheTable) {
  for (int32_t id : {-1, 8, 1 << 30}) {
    absl::Status status = Run({0, id}, {0});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("token 1 of the call has id " + std::to_string(id)));
    EXPECT_THAT(std::string(status.message()), HasSubstr("vocabulary of 8"));
  }
  EXPECT_EQ(Run({0, 7}, {0}), absl::OkStatus());
}

TEST_F(ExecutorTest, StopFlagEndsTheRun) {
  std::atomic<bool> stop = true;
  RunContext context;
  context.stop = &stop;
  EXPECT_EQ(Run({1}, {0}, context).code(), absl::StatusCode::kCancelled);
  stop = false;
  EXPECT_EQ(Run({1}, {0}, context), absl::OkStatus());
}

TEST_F(ExecutorTest, ReportsWeightsThatCouldNotBeRead) {
  weights_.Fail(absl::DataLossError("the file was cut short"));
  EXPECT_EQ(Run({1}, {0}), absl::DataLossError("the file was cut short"));
}

class Recorder : public StepObserver {
 public:
  void AfterStep(const Node& node, const KernelArgs& args) override {
    steps.push_back(node.scope());
    first_outputs.push_back(args.out().f32()[0]);
  }
  std::vector<std::string> steps;
  std::vector<float> first_outputs;
};

TEST_F(ExecutorTest, ObserverSeesEachStepWithItsResult) {
  Recorder recorder;
  RunContext context;
  context.observer = &recorder;
  ASSERT_EQ(Run({2, 4}, {1}, context), absl::OkStatus());
  EXPECT_THAT(recorder.steps, ElementsAre("embed", "double", "rows", "logits"));
  EXPECT_THAT(recorder.first_outputs, ElementsAre(20, 40, 80, 80));
}

}  // namespace
}  // namespace infer
