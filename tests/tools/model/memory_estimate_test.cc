// SPDX-License-Identifier: Apache-2.0
#include "tools/model/memory_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/backends.h"
#include "runtime/packed_weights.h"
#include "tools/model/compile_model.h"
#include "tools/model/model_file.h"

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
    return *EstimateMemory(program, model_.gguf(), *registry_);
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

TEST_F(MemoryEstimateTest, TheArenaIncludesTheScratchOfAThread) {
  Program program = Compile("scalar");
  const uint64_t before = Estimate(program).arena;
  Plan plan = *program.regimes[0].graph.plan();
  plan.arenas[0].bytes_per_thread += 4096;
  program.regimes[0].graph.set_plan(plan);
  EXPECT_EQ(Estimate(program).arena, before + 4096);
}

}  // namespace
}  // namespace infer
