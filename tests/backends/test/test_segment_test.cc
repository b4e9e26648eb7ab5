// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "backends/test/test_backend.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kLength = 4;

TensorView ViewOf(std::byte* data) {
  TensorView view;
  view.data = data;
  view.rank = 2;
  view.dims[0] = 1;
  view.dims[1] = kLength;
  return view;
}

// y = 2 * x on the device, with x copied there and y back.
class TestSegmentTest : public ::testing::Test {
 protected:
  TestSegmentTest() {
    GraphBuilder b(&graph_);
    const Value x = graph_.AddInput("x", ValueType::F32({1, kLength}))->output();
    node_ = ops::Scale(b, x, 2).node;
    operands_ = {{ViewOf(Cpu(x_)), {}},
                 {ViewOf(memory_->data()), {}},
                 {ViewOf(memory_->data() + kBytes), {}},
                 {ViewOf(Cpu(y_)), {}}};
    for (size_t i = 0; i < 3; ++i) {
      args_.push_back({.inputs = {&operands_[i], 1},
                       .outputs = {&operands_[i + 1], 1},
                       .attrs = node_->attrs()});
    }
  }

  static std::byte* Cpu(float* data) { return reinterpret_cast<std::byte*>(data); }

  absl::Status Run(const RunContext& context = {}) {
    std::vector<PreparedStep> steps(3);
    for (int32_t i = 0; i < 3; ++i) steps[i].number = i;
    steps[1].node = node_;
    steps[1].bound = device_.Bind(*node_, "scale_f32_test").value();
    const auto segment = device_.Prepare(std::move(steps), 0).value();
    const auto queue = device_.MakeContext({}).value();
    const absl::Status status = segment->Run(context, {args_, queue.get()});
    return status.ok() ? queue->Wait() : status;
  }

  static constexpr uint64_t kBytes = kLength * sizeof(float);
  TestBackend device_;
  Graph graph_;
  Node* node_ = nullptr;
  std::unique_ptr<SpaceMemory> memory_ = device_.memory()->Allocate(2 * kBytes).value();
  float x_[kLength] = {1, 2, 3, 4};
  float y_[kLength] = {};
  std::vector<Operand> operands_;
  std::vector<KernelArgs> args_;
};

TEST_F(TestSegmentTest, CopiesComputesAndCopiesBack) {
  ASSERT_EQ(Run(), absl::OkStatus());
  EXPECT_THAT(y_, ElementsAre(2, 4, 6, 8));
}

TEST_F(TestSegmentTest, NotesTheTimesOfCopiesToo) {
  StepEvents events(3, 1);
  ASSERT_EQ(Run({.events = &events}), absl::OkStatus());
  for (const StepEvent& event : events.thread(0)) {
    EXPECT_GT(event.start_ns, 0);
    EXPECT_GE(event.end_ns, event.start_ns);
  }
}

TEST_F(TestSegmentTest, MemoryOfTheCpuIsRefused) {
  operands_[1].tensor.data = Cpu(y_);
  EXPECT_EQ(Run().code(), absl::StatusCode::kInternal);
  operands_[0].tensor.data = memory_->data();  // the copy goes to the cpu now
  const absl::Status status = Run();
  EXPECT_THAT(std::string(status.message()), HasSubstr("memory that is not the device's"));
}

TEST_F(TestSegmentTest, ObserversSeeWhatTheCpuCanRead) {
  class Observer : public StepObserver {
   public:
    void AfterStep(const Node&, const KernelArgs& args) override {
      seen.assign(args.out().f32(), args.out().f32() + kLength);
    }
    std::vector<float> seen;
  } observer;
  ASSERT_EQ(Run({.observer = &observer}), absl::OkStatus());
  EXPECT_THAT(observer.seen, ElementsAre(2, 4, 6, 8));
}

TEST_F(TestSegmentTest, StopsBetweenSteps) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(Run({.stop = &stop}).code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(y_, ElementsAre(0, 0, 0, 0));
}

}  // namespace
}  // namespace infer
