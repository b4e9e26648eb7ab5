// SPDX-License-Identifier: Apache-2.0
#include "tools/api/memory_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backends.h"
#include "ir/graph/plan.h"
#include "runtime/pack_jobs.h"
#include "runtime/packed_weights.h"
#include "tools/api/compile_model.h"
#include "tools/api/model_file.h"

namespace infer {
namespace {

class MemoryEstimateTest : public ::testing::Test {
 protected:
  MemoryEstimateTest() : registry_(MakeKernelRegistry()), model_(*ModelFile::Open("")) {}

  Program Compile(const std::string& policy) {
    CompileModelOptions options;
    options.policy = policy;
    return *CompileModel(model_, *registry_, options);
  }
  MemoryEstimate Estimate(const Program& program) {
    return *EstimateMemory(program, &model_.gguf(), *registry_);
  }

  std::unique_ptr<KernelRegistry> registry_;
  ModelFile model_;
};

TEST_F(MemoryEstimateTest, WeightsThatAreNotPackedCountAsTheFileHoldsThem) {
  uint64_t file_bytes = 0;
  for (const WeightInfo& weight : model_.weights().weights()) file_bytes += weight.bytes;
  const MemoryEstimate estimate = Estimate(Compile("scalar"));
  EXPECT_EQ(estimate.weights.size(), 1u);
  EXPECT_EQ(estimate.weights.at("gguf"), file_bytes);
}

TEST_F(MemoryEstimateTest, PackedWeightsCountOnceAndAsPacked) {
  const Program program = Compile("simd");
  uint64_t packed_bytes = 0, mapped_bytes = 0;
  for (const Weight& weight : program.weights) {
    std::optional<uint64_t> bytes = PackedBytes(weight, "q8_0_simd", *registry_);
    if (bytes && weight.type.dtype == DType::kQ8_0) {
      packed_bytes += *bytes;
    } else {
      mapped_bytes += weight.bytes;
    }
  }
  if (packed_bytes == 0) GTEST_SKIP() << "nothing is packed on this machine";
  const MemoryEstimate estimate = Estimate(program);
  EXPECT_EQ(estimate.weights.at("q8_0_simd"), packed_bytes);
  EXPECT_EQ(estimate.weights.at("gguf"), mapped_bytes);
}

TEST_F(MemoryEstimateTest, TheArenaIsThePlansAndScratchIsByThread) {
  Program program = Compile("scalar");
  Plan plan = *program.regimes[0].graph.plan();
  uint64_t arena_bytes = 0, scratch_bytes = 0;
  for (const Regime& regime : program.regimes) {
    for (const Arena& arena : regime.graph.plan()->arenas) {
      arena_bytes = std::max(arena_bytes, arena.bytes);
      scratch_bytes = std::max(scratch_bytes, arena.bytes_per_thread);
    }
  }
  plan.arenas[0].bytes_per_thread = scratch_bytes + 4096;
  program.regimes[0].graph.set_plan(plan);
  for (int threads : {1, 2, 32}) {
    const MemoryEstimate estimate = *EstimateMemory(program, &model_.gguf(), *registry_, threads);
    EXPECT_EQ(estimate.threads, threads);
    EXPECT_EQ(estimate.arena, arena_bytes);
    EXPECT_EQ(estimate.scratch, (scratch_bytes + 4096) * static_cast<uint64_t>(threads));
    EXPECT_EQ(estimate.total(), Estimate(program).total() +
                                    (scratch_bytes + 4096) * static_cast<uint64_t>(threads - 1));
  }
}

// The two tools must tell the same: infer-run asks with the threads that it has.
TEST_F(MemoryEstimateTest, WithoutANumberItIsForTheThreadsOfTheRegistry) {
  const Program program = Compile("scalar");
  auto three = MakeKernelRegistry(ThreadTeamOptions{.threads = 3}, ThreadsBy::kTeam);
  ASSERT_TRUE(three.ok()) << three.status();
  const MemoryEstimate asked = *EstimateMemory(program, &model_.gguf(), *registry_, 3);
  const MemoryEstimate had = *EstimateMemory(program, &model_.gguf(), **three);
  EXPECT_EQ(had.threads, 3);
  EXPECT_EQ(had.total(), asked.total());
}

TEST(MemoryEstimateText, NamesThePartsInOneColumn) {
  MemoryEstimate estimate;
  estimate.weights = {{"gguf", 0}, {"q8_0_simd", 1 << 20}};
  estimate.arena = 3 << 20;
  estimate.scratch = 2 << 20;
  estimate.threads = 2;
  EXPECT_EQ(ToText(estimate), R"(memory
  weights (gguf)               0.0 MiB
  weights (q8_0_simd)          1.0 MiB
  kv at full context           0.0 MiB
  arena of the plan            3.0 MiB
  scratch of 2 threads         2.0 MiB
  tokenizer                    0.0 MiB
  other                        0.0 MiB
  total                        6.0 MiB
)");
  estimate.threads = 1;
  EXPECT_THAT(ToText(estimate), ::testing::HasSubstr("scratch of 1 thread   "));
}

}  // namespace
}  // namespace infer
