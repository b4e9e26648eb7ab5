// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "ir/graph.h"
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
  CpuStep Sliced() const { return {&kThreePhases, &args_, node_, StepMode::kSliced, true}; }
  CpuStep Serial(const CpuKernel& kernel) const {
    return {&kernel, &args_, node_, StepMode::kSerial, true};
  }
  absl::Status Run(std::vector<CpuStep> steps, const RunContext& context = {}) {
    return MakeTeamSegment(std::move(steps), team_.get(), 64)->Run(context);
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

INSTANTIATE_TEST_SUITE_P(Threads, TeamSegmentTest, ::testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace infer
