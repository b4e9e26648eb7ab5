// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/rank_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "backends/backends.h"
#include "tests/runtime/mpi/fake_mpi.h"
#include "tools/api/compile_to_run.h"
#include "tools/api/load_session.h"
#include "tools/api/model_file.h"
#include "tools/api/process_ranks.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using test::FakeMpi;
using ::testing::HasSubstr;

TEST(RankRun, AProcessAloneIsNotAsked) {
  EXPECT_FALSE(FollowsRank0());
  EXPECT_TRUE(RefuseRanks("--spec draft", {.ranks = 1}).ok());
  EXPECT_EQ(RefuseRanks("--spec draft", {.ranks = 2}).message(),
            "--spec draft runs models in one process; leave out --ranks");
  EngineOptions options = {.context = 100};
  EXPECT_TRUE(ShareCacheSize(Program(), &options).ok());
  EXPECT_EQ(options.context, 100);
  EXPECT_TRUE(JoinRanks(absl::OkStatus(), nullptr).ok());
  EXPECT_EQ(JoinRanks(absl::NotFoundError("no file"), nullptr), absl::NotFoundError("no file"));
}

TEST(RankRun, ADividedProgramNeedsMpirun) {
  Program program;
  program.policy.shard.ranks = 2;
  EngineOptions options;
  const absl::Status status = ShareCacheSize(program, &options);
  EXPECT_EQ(ExitCodeFor(status), kExitUsage);
  EXPECT_THAT(status.message(),
              HasSubstr("(mpirun -np 2 starts as many; --ranks 1 compiles for 1)"));
}

// This process as one of two ranks; a thread is the other.
class TwoRanks : public ::testing::Test {
 protected:
  TwoRanks() { program_.policy.shard.ranks = 2; }

  void RunAs(int rank, const std::function<void()>& self,
             const std::function<void(MpiRanks&)>& other) {
    const FakeMpi mpi(2);
    std::thread thread([&] {
      auto ranks = MpiRanks::StartOn(mpi.table(1 - rank), {.times = times_});
      ASSERT_TRUE(ranks.ok()) << ranks.status();
      other(**ranks);
    });
    auto ranks = MpiRanks::StartOn(mpi.table(rank), {.stop = &stop_, .times = times_});
    ASSERT_TRUE(ranks.ok()) << ranks.status();
    SetProcessRanks(*std::move(ranks));
    self();
    thread.join();
    SetProcessRanks(nullptr);
  }

  // A time that stands still, so that a busy machine does not look like a dead rank.
  const PeerWatch::Times times_ = {
      .now = [] { return std::chrono::steady_clock::time_point(std::chrono::hours(1)); }};
  Program program_;
  std::atomic<bool> stop_ = false;  // of this process
};

TEST_F(TwoRanks, TheFirstLeads) {
  RunAs(0, [] { EXPECT_FALSE(FollowsRank0()); }, [](MpiRanks&) {});
}

TEST_F(TwoRanks, TheOtherFollows) {
  RunAs(1, [] { EXPECT_TRUE(FollowsRank0()); }, [](MpiRanks&) {});
}

TEST_F(TwoRanks, RefuseWhatNeedsOneProcess) {
  RunAs(
      0,
      [] {
        const absl::Status status = RefuseRanks("--spec draft");
        EXPECT_EQ(ExitCodeFor(status), kExitUsage);
        EXPECT_THAT(status.message(), HasSubstr("--spec draft runs models in one process"));
      },
      [](MpiRanks&) {});
}

TEST_F(TwoRanks, HaveTheSmallestCacheOfAll) {
  RunAs(
      0,
      [this] {
        EngineOptions options = {.context = 100, .cache_positions = 50};
        EXPECT_TRUE(ShareCacheSize(program_, &options).ok());
        EXPECT_EQ(options.context, 100);
        EXPECT_EQ(options.cache_positions, 40);
      },
      [](MpiRanks& other) {
        const std::array<int64_t, 2> own = {200, 40};
        std::array<std::array<int64_t, 2>, 2> all;
        EXPECT_TRUE(
            other.AllGather(std::as_bytes(std::span(own)), reinterpret_cast<std::byte*>(&all))
                .ok());
      });
}

// Without asking the others, who may be doing something else.
TEST_F(TwoRanks, RefuseAProgramForAnotherNumber) {
  program_.policy.shard.ranks = 1;
  RunAs(
      0,
      [this] {
        EngineOptions options;
        EXPECT_THAT(ShareCacheSize(program_, &options).message(),
                    HasSubstr("is for one process, but 2 processes run it"));
      },
      [](MpiRanks&) {});
}

// The others may be waiting for its memory, and are told by EndRanks.
TEST_F(TwoRanks, ARankThatCannotLoadExchangesNothing) {
  const absl::Status failed = absl::NotFoundError("no file");
  RunAs(1, [&] { EXPECT_EQ(JoinRanks(failed, nullptr), failed); }, [](MpiRanks&) {});
}

// The same with a model.
class TwoRanksWithAnEngine : public TwoRanks {
 protected:
  const ModelFile model_ = ModelFile::Open(INFER_TEST_DATA "/random_untied.gguf").value();
  const std::unique_ptr<KernelRegistry> registry_ = MakeKernelRegistry();
  const std::unique_ptr<Engine> engine_ =
      LoadEngine(CompileToRun(model_, *registry_, {.policy = "scalar", .context = 64}).value(),
                 model_, *registry_, {.context = 64}, {})
          .value();
};

TEST_F(TwoRanksWithAnEngine, ADifferenceIsReportedByTheFirst) {
  const LoadedRank loaded = {.program = &engine_->program(), .build = "another"};
  for (const int rank : {0, 1}) {
    RunAs(
        rank,
        [&] {
          const absl::Status status = JoinRanks(absl::OkStatus(), engine_.get());
          EXPECT_THAT(status.message(), HasSubstr(" is another build ("));
          EXPECT_EQ(IsQuiet(status), rank == 1);
        },
        [&](MpiRanks& other) { EXPECT_FALSE(AgreeOnLoad(other, loaded).ok()); });
  }
}

// It ends after it has told the others, which know of nothing.
TEST_F(TwoRanksWithAnEngine, ASignalBeforeTheOtherHasLoadedIsReported) {
  std::atomic<bool> over = false;
  RunAs(
      1,
      [&] {
        stop_ = true;
        const absl::Status status = JoinRanks(absl::OkStatus(), engine_.get());
        EXPECT_EQ(status, absl::CancelledError("was asked to end by a signal"));
        EXPECT_FALSE(IsQuiet(status));
        over = true;
        over.notify_one();
      },
      [&](MpiRanks&) { over.wait(false); });
}

}  // namespace
}  // namespace infer
