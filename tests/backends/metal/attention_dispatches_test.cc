// SPDX-License-Identifier: Apache-2.0
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/backends/metal/case_dispatches.h"

namespace infer::metal {
namespace {

using conformance::BatchArg;
using conformance::Cache;
using conformance::ConformanceCase;
using conformance::Rows;
using conformance::SequencePart;

ConformanceCase Attention(DType type, std::vector<SequencePart> sequences, int64_t head_dim = 64) {
  return {.name = "attention",
          .op = &ops::kAttention,
          .args = {Rows({Symbol::kT, 4, head_dim}), Cache(type, 2, head_dim), BatchArg()},
          .attrs = {0.125},
          .sequences = std::move(sequences),
          .block_positions = 16};
}

TEST(AttentionPlan, OneTokenIsAGroupForEachHead) {
  const CaseDispatches dispatches(Attention(DType::kF16, {{36, 1}}), "attention_f16_metal");
  const Dispatch& d = dispatches.only();
  EXPECT_EQ(d.pipeline, (PipelineKey{"attention_vector", "attention_vector_f16", {64}, 256}));
  EXPECT_EQ(d.groups, (Grid{4, 1, 1}));
  EXPECT_EQ(d.threads, (Grid{32, 1, 1}));  // 37 positions: one simdgroup
  EXPECT_EQ(d.threadgroup_bytes, 528u);    // 66 + 64 floats, to a multiple of 16
  const auto args = ArgumentsOf<shader::AttentionArgs>(d);
  EXPECT_EQ(args.first_token, 0u);
  EXPECT_EQ(args.tokens, 1u);
  EXPECT_EQ(args.heads, 4u);
  EXPECT_EQ(args.kv_heads, 2u);
  EXPECT_EQ(args.block_positions, 16u);
  EXPECT_EQ(args.scale, 0.125f);
  ASSERT_EQ(d.bindings.size(), 8u);
  const KvView& kv = dispatches.args().inputs[1].kv;
  EXPECT_EQ(d.bindings[1].data, kv.k);
  EXPECT_EQ(d.bindings[2].data, kv.v);
  EXPECT_EQ(d.bindings[1].bytes, 3u * 2 * 16 * 64 * 2);  // all three blocks
  EXPECT_EQ(d.bindings[3].data, dispatches.batch().token_seq);
  EXPECT_EQ(d.bindings[4].data, dispatches.batch().token_pos);
  EXPECT_EQ(d.bindings[5].data, dispatches.batch().sequences);
  EXPECT_EQ(d.bindings[6].data, dispatches.batch().block_tables);
  EXPECT_EQ(d.bindings[6].bytes, 12u);
  EXPECT_EQ(d.bindings[7].data, dispatches.args().out().data);
  EXPECT_TRUE(d.bindings[7].writes);
}

TEST(AttentionPlan, LongHistoriesGetMoreSimdgroups) {
  const CaseDispatches some(Attention(DType::kF32, {{300, 1}}), "attention_f32_metal");
  EXPECT_EQ(some.only().threads, (Grid{96, 1, 1}));
  const CaseDispatches most(Attention(DType::kF32, {{5000, 1}}), "attention_f32_metal");
  EXPECT_EQ(most.only().threads, (Grid{256, 1, 1}));
}

TEST(AttentionPlan, ManyTokensAreTilesOfEight) {
  const CaseDispatches dispatches(Attention(DType::kQ8_0, {{0, 21}}), "attention_q8_0_metal");
  EXPECT_EQ(dispatches.only().pipeline,
            (PipelineKey{"attention_tile", "attention_tile_q8_0", {64}, 128}));
  EXPECT_EQ(dispatches.only().groups, (Grid{3, 4, 1}));
  EXPECT_EQ(dispatches.only().threads, (Grid{128, 1, 1}));
  EXPECT_EQ(dispatches.only().threadgroup_bytes, 4u * (48 * 64 + 256 + 16 + 4));
}

// Tiles never cross sequences; neighbours with few tokens share a dispatch. Each writes its own
// rows, so that none waits for another.
TEST(AttentionPlan, SequencesAreCutByTheirTokens) {
  const CaseDispatches dispatches(
      Attention(DType::kF16, {{9, 3}, {0, 2}, {0, 18}, {33, 1}, {4, 8}}), "attention_f16_metal");
  struct Part {
    uint32_t first, tokens;
    bool tile;
  };
  const Part expected[] = {{0, 5, false}, {5, 18, true}, {23, 1, false}, {24, 8, true}};
  ASSERT_EQ(dispatches.dispatches().size(), std::size(expected));
  for (size_t i = 0; i < std::size(expected); ++i) {
    const Dispatch& d = dispatches.dispatches()[i];
    const auto args = ArgumentsOf<shader::AttentionArgs>(d);
    EXPECT_EQ(args.first_token, expected[i].first);
    EXPECT_EQ(args.tokens, expected[i].tokens);
    EXPECT_EQ(d.pipeline.library, expected[i].tile ? "attention_tile" : "attention_vector");
    EXPECT_EQ(d.bindings.back().data,
              dispatches.args().out().data + expected[i].first * 4 * 64 * 4);
    EXPECT_EQ(d.bindings.back().bytes, expected[i].tokens * 4u * 64 * 4);
  }
  EXPECT_THAT(BarriersBefore(dispatches.dispatches()), ::testing::Each(false));
}

TEST(AttentionPlan, WideHeadsHaveNoTiles) {
  const CaseDispatches dispatches(Attention(DType::kF16, {{0, 20}}, 160), "attention_f16_metal");
  EXPECT_EQ(dispatches.only().pipeline.library, "attention_vector");
  EXPECT_EQ(dispatches.pipelines().size(), 1u);
}

TEST(AttentionPlan, TheLargestTileFitsIntoThreadgroupMemory) {
  const CaseDispatches dispatches(Attention(DType::kF16, {{0, 20}}, 128), "attention_f16_metal");
  EXPECT_EQ(dispatches.only().pipeline.library, "attention_tile");
  EXPECT_LE(dispatches.only().threadgroup_bytes, 32u << 10);
}

TEST(AttentionPlan, RefusesHeadsThatAreNoRunsOf32) {
  Graph graph;
  const Node* node = conformance::MakeNode(Attention(DType::kF16, {{0, 1}}, 80), &graph);
  EXPECT_EQ(FindKernel("attention_f16_metal")->info.accepts(*node).reason(),
            "heads of 80; this kernel takes multiples of 32 up to 256");
  EXPECT_EQ(FindKernel("attention_f32_metal")->info.accepts(*node).reason(),
            "cache is f16; this kernel reads f32");
}

// A sequence of one token may come with others in a call of any length.
TEST(AttentionPlan, TilesAreMadeWhereACallCanHaveThem) {
  auto libraries = [](Range tokens) {
    SymbolRanges symbols;
    symbols[Symbol::kT] = tokens;
    std::vector<std::string_view> found;
    const CaseDispatches dispatches(Attention(DType::kF16, {{0, 1}}), "attention_f16_metal",
                                    FindDeviceClass(""), symbols);
    for (const PipelineKey& key : dispatches.pipelines()) found.push_back(key.library);
    return found;
  };
  EXPECT_THAT(libraries({1, 7}), ::testing::ElementsAre("attention_vector"));
  EXPECT_THAT(libraries({8, 8}), ::testing::ElementsAre("attention_vector", "attention_tile"));
  EXPECT_THAT(libraries({}), ::testing::ElementsAre("attention_vector", "attention_tile"));
}

}  // namespace
}  // namespace infer::metal
