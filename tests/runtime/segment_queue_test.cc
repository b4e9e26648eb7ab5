// SPDX-License-Identifier: Apache-2.0
#include "runtime/segment_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <latch>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "tests/runtime/tiny_program.h"
#include "tests/support/loaded_program.h"

namespace infer {
namespace {

using test::LoadedProgram;
using test::TinyProgram;
using test::TinyWeights;
using test::VectorWeights;

class FakeSegment final : public CompiledSegment {
 public:
  explicit FakeSegment(std::function<absl::Status()> run) : run_(std::move(run)) {}
  absl::Status Run(const RunContext&, const SegmentCall&) const override { return run_(); }

 private:
  std::function<absl::Status()> run_;
};

class SegmentQueueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto created = LoadedProgram::Create(TinyProgram(weights_), weights_, *registry_);
    ASSERT_TRUE(created.ok()) << created.status();
    loaded_ = *std::move(created);
    const int32_t token = 1;
    const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(std::span(&token, 1)),
                                                              {}};
    ASSERT_TRUE(loaded_->executor().Begin({1, 1, 1}, inputs, {}).ok());
  }

  SegmentQueue::Ticket Submit(std::function<absl::Status()> run) {
    auto& segment = segments_.emplace_back(std::make_unique<ExecutableRegime::BoundSegment>());
    segment->segment = std::make_unique<FakeSegment>(std::move(run));
    return queue_->Submit(loaded_->executor(), *segment);
  }

  VectorWeights weights_ = TinyWeights();
  std::unique_ptr<KernelRegistry> registry_ = MakeKernelRegistry();
  std::unique_ptr<LoadedProgram> loaded_;
  std::vector<std::unique_ptr<ExecutableRegime::BoundSegment>> segments_;
  const std::unique_ptr<SegmentQueue> queue_ = SegmentQueue::Create().value();
};

TEST_F(SegmentQueueTest, RunsWhileTheCallerGoesOn) {
  std::latch caller(1);
  std::thread::id thread;
  const SegmentQueue::Ticket ticket = Submit([&] {
    caller.wait();  // never, if Submit ran it
    thread = std::this_thread::get_id();
    return absl::OkStatus();
  });
  caller.count_down();
  EXPECT_TRUE(queue_->Wait(ticket).ok());
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(SegmentQueueTest, RunsInOrder) {
  std::vector<int> order;
  for (int i = 0; i < 200; i += 2) {
    const SegmentQueue::Ticket first = Submit([&order, i] {
      order.push_back(i);
      return absl::OkStatus();
    });
    const SegmentQueue::Ticket second = Submit([&order, i] {
      order.push_back(i + 1);
      return absl::OkStatus();
    });
    EXPECT_TRUE(queue_->Wait(first).ok());
    EXPECT_TRUE(queue_->Wait(second).ok());
  }
  ASSERT_EQ(order.size(), 200u);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

// Its message would be taken for the one that was not sent.
TEST_F(SegmentQueueTest, RunsNothingAfterAnError) {
  bool ran = false;
  const SegmentQueue::Ticket bad = Submit([] { return absl::DataLossError("gone"); });
  const SegmentQueue::Ticket next = Submit([&ran] {
    ran = true;
    return absl::OkStatus();
  });
  EXPECT_EQ(queue_->Wait(bad), absl::DataLossError("gone"));
  EXPECT_EQ(queue_->Wait(next), absl::DataLossError("gone"));
  EXPECT_FALSE(ran);
}

TEST_F(SegmentQueueTest, EndsWithoutEverRunningOne) {}

}  // namespace
}  // namespace infer
