// SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/backends/metal/case_dispatches.h"

namespace infer::metal {
namespace {

using conformance::BatchArg;
using conformance::Cache;
using conformance::ConformanceCase;
using conformance::Rows;

TEST(EntriesPlan, AMaskHasAColumnForEachEntry) {
  const ConformanceCase c = {.name = "mask",
                             .op = &ops::kAttnMask,
                             .args = {Rows({Symbol::kT, Symbol::kS}), BatchArg()},
                             .sequences = {{60, 2}, {4, 1}},
                             .block_positions = 16};
  const CaseDispatches dispatches(c, "attn_mask_f32_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"entries", "attn_mask_f32", {}, 64}));
  EXPECT_EQ(dispatches.only().groups, (Grid{2, 3, 1}));
  const auto args = ArgumentsOf<shader::GatherArgs>(dispatches.only());
  EXPECT_EQ(args.rows, 3u);
  EXPECT_EQ(args.columns, 67u);
  ASSERT_EQ(dispatches.only().bindings.size(), 5u);
  EXPECT_EQ(dispatches.only().bindings[1].data, dispatches.batch().token_seq);
  EXPECT_EQ(dispatches.only().bindings[3].bytes, 2 * sizeof(shader::SequenceArgs));
}

TEST(EntriesPlan, EntriesAreReadFromTheBlocksThatACallSees) {
  const ConformanceCase c = {.name = "read",
                             .op = &ops::kKvRead,
                             .args = {Cache(DType::kQ8_0, 3, 32), BatchArg()},
                             .sequences = {{30, 3}},
                             .block_positions = 16};
  const CaseDispatches dispatches(c, "kv_read_q8_0_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"entries", "kv_read_q8_0", {}, 64}));
  EXPECT_EQ(dispatches.only().groups, (Grid{2, 33, 1}));  // 96 columns of 33 entries
  const auto args = ArgumentsOf<shader::EntryArgs>(dispatches.only());
  EXPECT_EQ(args.entries, 33u);
  EXPECT_EQ(args.kv_heads, 3u);
  EXPECT_EQ(args.head_dim, 32u);
  EXPECT_EQ(args.block_positions, 16u);
  ASSERT_EQ(dispatches.only().bindings.size(), 6u);
  EXPECT_EQ(dispatches.only().bindings[0].bytes, 3u * 16 * 3 * 34);
  EXPECT_EQ(dispatches.only().bindings[5].data, dispatches.args().out(1).data);
}

TEST(EntriesPlan, RefusalsSayWhatWasFound) {
  const ConformanceCase c = {
      .name = "read", .op = &ops::kKvRead, .args = {Cache(DType::kF16, 3, 32), BatchArg()}};
  Graph graph;
  const Node* node = conformance::MakeNode(c, &graph);
  EXPECT_NE(FindKernel("kv_read_q8_0_metal")->info.accepts(*node).reason(), "");
  EXPECT_TRUE(FindKernel("kv_read_f16_metal")->info.accepts(*node).accepted());
}

}  // namespace
}  // namespace infer::metal
