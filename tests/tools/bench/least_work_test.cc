// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/least_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"

namespace infer {
namespace {

// embed, a matrix of 64 x 32 in q8_0 for every token, one of 8 x 64 in f16 for the wanted rows.
Program SampleProgram() {
  Program program;
  Regime& regime = program.regimes.emplace_back();
  regime.max_tokens = 16;
  Graph& graph = regime.graph;
  Value tokens = graph.AddInput("tokens", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  GraphBuilder b(&graph);
  Value table = ops::WeightRef(b, "table", ValueType::F32({100, 32}));
  Value x = ops::Embed(b, table, tokens);
  Value norm = ops::WeightRef(b, "norm", ValueType::F32({32}));
  x = ops::RmsNorm(b, x, norm, 1e-6);
  Value up = ops::WeightRef(b, "up", ValueType::Tensor(DType::kQ8_0, {64, 32}));
  x = ops::SelectRows(b, ops::Linear(b, x, up), batch);
  Value out = ops::WeightRef(b, "out", ValueType::Tensor(DType::kF16, {8, 64}));
  graph.AddResult(ops::Linear(b, x, out));
  EXPECT_EQ(b.status(), absl::OkStatus());
  program.states.push_back({.id = 0, .layer = 0, .kv_heads = 2, .head_dim = 4});
  return program;
}

constexpr double kWeightBytes = 64 * 34 + 8 * 64 * 2;
constexpr double kEntryBytes = 2 * 2 * 4 * 2;  // K and V, two heads of four halves

TEST(BenchWork, CountsMatricesOnceAndTheVisibleCache) {
  const Program program = SampleProgram();
  const LeastWork work = LeastWorkOfCall(program, 5, 10);
  EXPECT_EQ(work.linear_flops, 2.0 * 5 * 64 * 32 + 2.0 * 8 * 64);
  EXPECT_EQ(work.bytes, kWeightBytes + 15 * kEntryBytes);
}

TEST(BenchWork, APromptIsCutIntoChunks) {
  const Program program = SampleProgram();
  const LeastWork work = LeastWorkOfTest(program, 20, 0, 0, 16);
  EXPECT_EQ(work.linear_flops, 2.0 * 20 * 64 * 32 + 2 * 2.0 * 8 * 64);
  EXPECT_EQ(work.bytes, 2 * kWeightBytes + (16 + 20) * kEntryBytes);
}

TEST(BenchWork, GeneratedTokensSeeAGrowingCache) {
  const Program program = SampleProgram();
  const LeastWork work = LeastWorkOfTest(program, 0, 3, 10, 16);
  EXPECT_EQ(work.bytes, 3 * kWeightBytes + (11 + 12 + 13) * kEntryBytes);
}

}  // namespace
}  // namespace infer
