// SPDX-License-Identifier: Apache-2.0
#include "tools/api/process_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "ir/graph/builder.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "tests/runtime/mpi/fake_mpi.h"

namespace infer {
namespace {

using test::FakeMpi;
using ::testing::HasSubstr;

constexpr char kBuild[] = "1234abcd";

Program SmallProgram() {
  Program program;
  program.model.header_hash = "00ff";
  program.policy.shard.ranks = 2;
  program.weights.emplace_back().sample_hash = 5;
  program.states.emplace_back().dtype = DType::kF16;
  return program;
}

struct Loaded {
  Program program = SmallProgram();
  std::string build = kBuild;
};

// Returns what each of two ranks is told after loading this.
std::vector<absl::Status> Agree(const Loaded& first, const Loaded& second) {
  const FakeMpi mpi(2);
  std::vector<absl::Status> told(2);
  std::vector<std::thread> threads;
  for (int rank : {0, 1}) {
    threads.emplace_back([&, rank] {
      auto ranks = MpiRanks::StartOn(mpi.table(rank), {});
      ASSERT_TRUE(ranks.ok()) << ranks.status();
      const Loaded& own = rank == 0 ? first : second;
      told[rank] =
          AgreeOnLoad(**ranks, {.program = &own.program, .build = own.build, .threads = 3 + rank});
    });
  }
  for (std::thread& thread : threads) thread.join();
  return told;
}

// Both ranks must be told the same, which names rank 1.
void ExpectRefusal(const Loaded& second, const std::string& what, const Loaded& first = {}) {
  const std::vector<absl::Status> told = Agree(first, second);
  EXPECT_EQ(told[0], told[1]);
  EXPECT_THAT(told[0].message(), HasSubstr("rank 1 (host "));
  EXPECT_THAT(told[0].message(), HasSubstr(what));
}

TEST(AgreeOnLoad, EqualRanksAgree) {
  for (const absl::Status& status : Agree({}, {})) EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(RankThreads(), (std::vector<int>{3, 4}));
}

TEST(AgreeOnLoad, MachinesMayDiffer) {
  Loaded second;
  second.program.machine.text = "name: \"faster\"";
  for (const absl::Status& status : Agree({}, second)) EXPECT_TRUE(status.ok()) << status;
}

// A regime that sends a value, rounded if the machine's network is slow.
void AddGather(Program* program, int64_t max_tokens, bool rounded) {
  Regime& regime = program->regimes.emplace_back();
  regime.max_tokens = max_tokens;
  GraphBuilder builder(&regime.graph);
  Value x = regime.graph.AddInput("x", ValueType::F32({Symbol::kT, 32}))->output();
  Node* gather = ops::AllGather(builder, x, /*axis=*/1, /*ranks=*/2, "").node;
  if (rounded) ops::SetMessage(gather, ops::kStayingForm, "");
}

// With values that are rounded in calls of `tokens` and more.
Loaded RoundingFrom(int64_t tokens, std::initializer_list<int64_t> regimes) {
  Loaded loaded;
  for (int64_t max_tokens : regimes) AddGather(&loaded.program, max_tokens, max_tokens >= tokens);
  return loaded;
}

TEST(AgreeOnLoad, RefusesOtherFormsOfMessages) {
  for (int64_t tokens : {1, 7}) {
    ExpectRefusal(RoundingFrom(tokens, {1, 7, 32}),
                  "sends values in other forms; use the same options and machine description",
                  RoundingFrom(32, {1, 7, 32}));
  }
}

// As ranks of different CPUs may have them in the mode fast.
TEST(AgreeOnLoad, RegimesMayDifferWhereNothingElseIsSent) {
  Loaded first = RoundingFrom(32, {1, 7, 16, 32}), second = RoundingFrom(32, {16, 32});
  for (Loaded* loaded : {&first, &second}) {
    loaded->program.policy.shard.mode = ShardPolicy::Mode::kFast;
  }
  for (const absl::Status& status : Agree(first, second)) EXPECT_TRUE(status.ok()) << status;
}

TEST(AgreeOnLoad, RefusesAnotherBuild) {
  Loaded second;
  second.build = "5678";
  ExpectRefusal(second, "is another build (5678, rank 0 is 1234abcd)");
}

TEST(AgreeOnLoad, RefusesAnotherModel) {
  Loaded second;
  second.program.model.header_hash = "00fe";
  ExpectRefusal(second, "has another model file (header 00fe, rank 0 has 00ff)");
}

TEST(AgreeOnLoad, RefusesOtherWeights) {
  Loaded second;
  second.program.weights[0].sample_hash = 6;
  ExpectRefusal(second, "same header but other weights");
}

// Whose parts of the weights differ too.
TEST(AgreeOnLoad, RefusesAnotherMode) {
  Loaded second;
  second.program.policy.shard.mode = ShardPolicy::Mode::kFast;
  second.program.weights[0].sample_hash = 6;
  ExpectRefusal(second, "compiled another program");
}

TEST(AgreeOnLoad, RefusesOtherRoundingInExactMode) {
  Loaded second;
  second.program.states[0].dtype = DType::kF32;
  ExpectRefusal(second, "compiled another program");
  Loaded first;
  for (Loaded* loaded : {&first, &second}) {
    loaded->program.policy.shard.mode = ShardPolicy::Mode::kFast;
  }
  for (const absl::Status& status : Agree(first, second)) EXPECT_TRUE(status.ok()) << status;
}

TEST(AgreeOnLoad, RefusesOtherSizesOfCalls) {
  Loaded second;
  second.program.symbols[Symbol::kT].max = 77;
  ExpectRefusal(second, "compiled another program");
}

TEST(ProcessRanks, AreNoneInAProcessThatRunsAlone) {
  EXPECT_EQ(ProcessRanks(), nullptr);
  EXPECT_EQ(ProcessTransport(), nullptr);
}

TEST(ProcessRanks, TheModelsMessagesAreDelayedAndNoOthers) {
  const FakeMpi mpi(1);
  auto started = MpiRanks::StartOn(mpi.table(0), {});
  ASSERT_TRUE(started.ok()) << started.status();
  const std::shared_ptr<MpiRanks> ranks = *std::move(started);
  SetProcessRanks(ranks);
  EXPECT_EQ(ProcessTransport(), ranks);
  SetProcessRanks(ranks, {.delay_us = 1});
  EXPECT_EQ(ProcessRanks(), ranks);
  EXPECT_NE(ProcessTransport(), ranks);
  SetProcessRanks(nullptr);
  EXPECT_EQ(ProcessTransport(), nullptr);
}

}  // namespace
}  // namespace infer
