// SPDX-License-Identifier: Apache-2.0
#include "backends/parallel/tbb_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "backends/backends.h"
#include "ir/ops/ops.h"
#include "tests/backends/parallel/tbb_under_sanitizer.h"

namespace infer {
namespace {

using ::testing::Each;
using ::testing::Lt;

constexpr int64_t kTbbUnits = 103;  // prime: no number of threads divides it

struct Notes {
  std::vector<int> calls = std::vector<int>(kTbbUnits, 0);
  std::vector<int64_t> thread_of = std::vector<int64_t>(kTbbUnits, -1);
  std::atomic<bool> stop = false;
};

Notes& NotesOf(const KernelArgs& args) { return *reinterpret_cast<Notes*>(args.workspace); }

constexpr CpuKernel kCounts = {
    .info = {.name = "counts", .op = &ops::kSilu, .target = Target::kParallel, .accepts = nullptr},
    .run =
        [](const KernelArgs& args, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            ++NotesOf(args).calls[i];
            NotesOf(args).thread_of[i] = reinterpret_cast<intptr_t>(args.scratch) / 64;
          }
        },
    .units = [](const KernelArgs&) { return kTbbUnits; }};

constexpr CpuKernel kTbbStops = {
    .info = {.name = "stops", .op = &ops::kSilu, .target = Target::kSimd, .accepts = nullptr},
    .run = [](const KernelArgs& args, int64_t, int64_t) { NotesOf(args).stop = true; }};

class TbbSegmentTest : public ::testing::TestWithParam<int> {
 protected:
  TbbSegmentTest() : threads_(TbbThreads::Create(GetParam()).value()) {
    args_.workspace = reinterpret_cast<std::byte*>(&notes_);
  }
  void SetUp() override {
    if (kTbbLooksLikeRaces) GTEST_SKIP() << "the library is not built with ThreadSanitizer";
  }
  CpuStep Step(const CpuKernel& kernel, StepMode mode) const {
    return {&kernel, nullptr, nullptr, mode, true};
  }
  absl::Status Run(std::vector<CpuStep> steps, const RunContext& context = {}) {
    const std::vector<KernelArgs> args(8, args_);  // by number of the step
    return threads_->MakeSegment(std::move(steps), 64)->Run(context, {.args = args});
  }

  Notes notes_;
  KernelArgs args_;
  std::unique_ptr<TbbThreads> threads_;
};

TEST_P(TbbSegmentTest, EveryUnitRunsOnceWithAScratchOfTheArena) {
  ASSERT_TRUE(Run({Step(kCounts, StepMode::kSliced)}).ok());
  EXPECT_THAT(notes_.calls, Each(1));
  EXPECT_THAT(notes_.thread_of, Each(::testing::AllOf(::testing::Ge(0), Lt(GetParam()))));
}

TEST_P(TbbSegmentTest, ASerialStepIsOneCallerS) {
  ASSERT_TRUE(Run({Step(kCounts, StepMode::kSerial)}).ok());
  EXPECT_THAT(notes_.calls, Each(1));
  EXPECT_THAT(notes_.thread_of, Each(0));
}

TEST_P(TbbSegmentTest, AStopFlagEndsItBetweenSteps) {
  const RunContext context{nullptr, &notes_.stop};
  EXPECT_EQ(Run({Step(kCounts, StepMode::kSliced), Step(kTbbStops, StepMode::kSerial),
                 Step(kCounts, StepMode::kSliced)},
                context)
                .code(),
            absl::StatusCode::kCancelled);
  EXPECT_THAT(notes_.calls, Each(1));
}

TEST_P(TbbSegmentTest, NotesTheTimesOfEachStepOnEachThread) {
  StepEvents events(2, GetParam());
  RunContext context;
  context.events = &events;
  CpuStep second = Step(kCounts, StepMode::kSerial);
  second.number = 1;
  ASSERT_TRUE(Run({Step(kCounts, StepMode::kSliced), second}, context).ok());
  int64_t serial_busy_threads = 0;
  for (int ith = 0; ith < GetParam(); ++ith) {
    for (const StepEvent& event : events.thread(ith)) {
      EXPECT_GT(event.start_ns, 0);
      EXPECT_GE(event.busy_ns(), 0);
      EXPECT_GE(event.inner_wait_ns, 0);
      EXPECT_GE(event.wait_end_ns, event.end_ns);
    }
    EXPECT_GE(events.thread(ith)[1].start_ns, events.thread(0)[0].wait_end_ns);
    serial_busy_threads += events.thread(ith)[1].busy_ns() > 0 ? 1 : 0;
  }
  EXPECT_LE(serial_busy_threads, 1);
}

INSTANTIATE_TEST_SUITE_P(Threads, TbbSegmentTest, ::testing::Values(1, 2, 3, 8));

TEST(TbbThreads, RefusesNumbersThatAreNone) {
  for (int threads : {0, -1, ThreadTeam::kMaxThreads + 1}) {
    EXPECT_EQ(TbbThreads::Create(threads).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(MakeKernelRegistry, HasAsManyThreadsAsAskedFor) {
  for (ThreadsBy by : {ThreadsBy::kTeam, ThreadsBy::kTbb}) {
    for (int threads : {1, 2, 5}) {
      ThreadTeamOptions options;
      options.threads = threads;
      auto registry = MakeKernelRegistry(options, by);
      ASSERT_TRUE(registry.ok()) << registry.status();
      EXPECT_EQ((*registry)->backend(Device::kCpu)->threads(), threads);
    }
    ThreadTeamOptions none;
    none.threads = 0;
    EXPECT_EQ(MakeKernelRegistry(none, by).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(TbbThreads, ForCallsEveryIndexOnce) {
  if (kTbbLooksLikeRaces) GTEST_SKIP() << "the library is not built with ThreadSanitizer";
  const auto threads = TbbThreads::Create(3).value();
  std::vector<std::atomic<int>> calls(101);
  threads->For(101, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace infer
