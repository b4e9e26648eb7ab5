// SPDX-License-Identifier: Apache-2.0
#include "backends/parallel/team_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "ir/graph/graph.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr int64_t kUnits = 103;  // prime: no number of threads divides it

// The memory of all kernels below, behind the arguments' workspace.
struct Board {
  std::vector<int64_t> prepared = std::vector<int64_t>(kUnits, 0);
  std::vector<int64_t> sums = std::vector<int64_t>(kUnits, 0);
  std::vector<int> calls = std::vector<int>(kUnits, 0);
  int64_t total = 0;
  std::atomic<bool> stop = false;
  std::vector<int64_t> scratch = std::vector<int64_t>(64 * 8, -1);
};

Board& BoardOf(const KernelArgs& args) { return *reinterpret_cast<Board*>(args.workspace); }
int64_t AllUnits(const KernelArgs&) { return kUnits; }

// Each unit needs every unit of the phase before.
constexpr CpuKernel kThreePhases = {
    .info = {.name = "three_phases",
             .op = &ops::kSilu,
             .target = Target::kParallel,
             .accepts = nullptr},
    .run =
        [](const KernelArgs& args, int64_t begin, int64_t end) {
          Board& board = BoardOf(args);
          const int64_t all =
              std::accumulate(board.prepared.begin(), board.prepared.end(), int64_t{0});
          *reinterpret_cast<int64_t*>(args.scratch) = begin;
          for (int64_t i = begin; i < end; ++i) board.sums[i] = all;
          for (int64_t i = begin; i < end; ++i) ++board.calls[i];
        },
    .units = AllUnits,
    .prepare = {.run =
                    [](const KernelArgs& args, int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) BoardOf(args).prepared[i] += i;
                    },
                .units = AllUnits},
    .finish = {.run = [](const KernelArgs& args, int64_t, int64_t) {
      Board& board = BoardOf(args);
      board.total += std::accumulate(board.sums.begin(), board.sums.end(), int64_t{0});
    }}};

constexpr CpuKernel kStops = {
    .info = {.name = "stops", .op = &ops::kSilu, .target = Target::kSimd, .accepts = nullptr},
    .run = [](const KernelArgs& args, int64_t, int64_t) { BoardOf(args).stop = true; }};

class TeamSegmentTest : public ::testing::TestWithParam<int> {
 protected:
  TeamSegmentTest() {
    args_.workspace = reinterpret_cast<std::byte*>(&board_);
    args_.scratch = reinterpret_cast<std::byte*>(board_.scratch.data());
    node_ = graph_.AddInput("x", ValueType::F32({Symbol::kT}));
    ThreadTeamOptions options;
    options.threads = GetParam();
    team_ = ThreadTeam::Create(options).value();
  }
  CpuStep Sliced() const { return {&kThreePhases, nullptr, node_, StepMode::kSliced, true}; }
  CpuStep Serial(const CpuKernel& kernel) const {
    return {&kernel, nullptr, node_, StepMode::kSerial, true};
  }
  absl::Status Run(std::vector<CpuStep> steps, const RunContext& context = {}) {
    const std::vector<KernelArgs> args(6, args_);  // by number of the step
    return MakeTeamSegment(std::move(steps), team_.get(), 64)->Run(context, {.args = args});
  }

  Board board_;
  KernelArgs args_;
  Graph graph_;
  Node* node_;
  std::unique_ptr<ThreadTeam> team_;
};

constexpr int64_t kOnce = kUnits * (kUnits - 1) / 2;

TEST_P(TeamSegmentTest, EveryUnitRunsOnceAndPhasesWaitForEachOther) {
  ASSERT_TRUE(Run({Sliced()}).ok());
  EXPECT_THAT(board_.calls, Each(1));
  EXPECT_THAT(board_.sums, Each(kOnce));
  EXPECT_EQ(board_.total, kUnits * kOnce);
}

TEST_P(TeamSegmentTest, StepsWaitForEachOther) {
  ASSERT_TRUE(Run({Sliced(), Serial(kThreePhases), Sliced()}).ok());
  EXPECT_THAT(board_.calls, Each(3));
  EXPECT_EQ(board_.total, kUnits * kOnce * (1 + 2 + 3));
}

TEST_P(TeamSegmentTest, ThreadsHaveScratchOfTheirOwn) {
  ASSERT_TRUE(Run({Sliced()}).ok());
  for (int ith = 0; ith < GetParam(); ++ith) {
    EXPECT_EQ(board_.scratch[ith * 8], kUnits * ith / GetParam()) << ith;
  }
}

TEST_P(TeamSegmentTest, AStopFlagEndsItBetweenSteps) {
  const RunContext context{nullptr, &board_.stop};
  EXPECT_EQ(Run({Sliced(), Serial(kStops), Sliced(), Sliced()}, context).code(),
            absl::StatusCode::kCancelled);
  EXPECT_THAT(board_.calls, Each(::testing::AnyOf(1, 2)));  // the step that had begun is completed
  EXPECT_TRUE(Run({Sliced()}).ok());                        // the team is usable again
}

TEST_P(TeamSegmentTest, AnObserverSeesEachStepWhole) {
  struct Sums : StepObserver {
    void AfterStep(const Node&, const KernelArgs& args) override {
      totals.push_back(BoardOf(args).total);
    }
    std::vector<int64_t> totals;
  } observer;
  ASSERT_TRUE(Run({Sliced(), Sliced()}, {&observer, nullptr}).ok());
  EXPECT_THAT(observer.totals, ElementsAre(kUnits * kOnce, 3 * kUnits * kOnce));
}

// Three steps with numbers that leave out a view's, as a plan has them.
std::vector<CpuStep> Numbered(std::vector<CpuStep> steps) {
  for (size_t i = 0; i < steps.size(); ++i) steps[i].number = static_cast<int32_t>(2 * i);
  return steps;
}

void ExpectInOrder(const StepEvent& event) {
  EXPECT_GT(event.start_ns, 0);
  EXPECT_GE(event.end_ns, event.start_ns);
  EXPECT_GE(event.wait_end_ns, event.end_ns);
  EXPECT_GE(event.inner_wait_ns, 0);
  EXPECT_GE(event.busy_ns(), 0);
}

TEST_P(TeamSegmentTest, NotesTheTimesOfEachStepOnEachThread) {
  StepEvents events(6, GetParam());
  RunContext context;
  context.events = &events;
  ASSERT_TRUE(Run(Numbered({Sliced(), Serial(kThreePhases), Sliced()}), context).ok());
  for (int ith = 0; ith < GetParam(); ++ith) {
    std::span<const StepEvent> thread = events.thread(ith);
    for (int step : {0, 2, 4}) ExpectInOrder(thread[step]);
    for (int step : {1, 3, 5}) EXPECT_EQ(thread[step].start_ns, 0);
    // One after the other without a gap, so that the steps of a thread add up to its walk.
    EXPECT_EQ(thread[2].start_ns, thread[0].wait_end_ns);
    EXPECT_EQ(thread[4].start_ns, thread[2].wait_end_ns);
  }
  // Nobody leaves a barrier before the last has come.
  for (int ith = 0; ith < GetParam(); ++ith) {
    EXPECT_GE(events.thread(ith)[2].wait_end_ns, events.thread(0)[2].end_ns);
    EXPECT_GE(events.thread(0)[4].wait_end_ns, events.thread(ith)[4].end_ns);
  }
}

TEST_P(TeamSegmentTest, NotesTimesAlsoUnderAnObserver) {
  struct Nothing : StepObserver {
    void AfterStep(const Node&, const KernelArgs&) override {}
  } observer;
  StepEvents events(4, GetParam());
  RunContext context;
  context.observer = &observer;
  context.events = &events;
  ASSERT_TRUE(Run(Numbered({Sliced(), Sliced()}), context).ok());
  for (int ith = 0; ith < GetParam(); ++ith) {
    ExpectInOrder(events.thread(ith)[0]);
    ExpectInOrder(events.thread(ith)[2]);
  }
}

TEST(SerialSegment, NotesTheTimesOfEachStep) {
  Board board;
  KernelArgs args;
  args.workspace = reinterpret_cast<std::byte*>(&board);
  args.scratch = reinterpret_cast<std::byte*>(board.scratch.data());
  const std::vector<KernelArgs> all_args(3, args);
  const CpuStep step{&kThreePhases, nullptr, nullptr, StepMode::kSerial, false};
  StepEvents events(3, 2);
  RunContext context;
  context.events = &events;
  ASSERT_TRUE(MakeSerialSegment(Numbered({step, step}))->Run(context, {.args = all_args}).ok());
  for (int number : {0, 2}) {
    ExpectInOrder(events.thread(0)[number]);
    EXPECT_EQ(events.thread(0)[number].wait_ns(), 0);
    EXPECT_EQ(events.thread(1)[number].start_ns, 0) << "nobody else has a part in it";
  }
  EXPECT_EQ(events.thread(0)[2].start_ns, events.thread(0)[0].end_ns);
}

INSTANTIATE_TEST_SUITE_P(Threads, TeamSegmentTest, ::testing::Values(1, 2, 3, 8));

TEST(TeamThreads, ForCallsEveryIndexOnce) {
  for (int threads : {1, 2, 5}) {
    const auto team = MakeTeamThreads(ThreadTeam::Create({.threads = threads}).value());
    std::vector<std::atomic<int>> calls(kUnits);
    team->For(kUnits, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
    for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
    team->For(0, [](int64_t) { FAIL(); });
  }
}

}  // namespace
}  // namespace infer
