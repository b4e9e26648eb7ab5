// SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/backends/metal/case_plan.h"

namespace infer::metal {
namespace {

using conformance::BatchArg;
using conformance::Indices;
using conformance::Rows;
using conformance::Weight;

TEST(GatherPlan, EmbedTakes16ElementsOfAThread) {
  const CasePlan plan({.name = "embed",
                       .op = &ops::kEmbed,
                       .args = {Weight(DType::kQ4_0, 11, 1056), Indices(11)},
                       .sequences = {{0, 5}}},
                      "embed_q4_0_metal");
  EXPECT_EQ(plan.only().pipeline, (PipelineKey{"embed", "embed_q4_0", {}, 64}));
  EXPECT_EQ(plan.only().groups, (Grid{2, 5, 1}));
  EXPECT_EQ(plan.only().threads, (Grid{64, 1, 1}));
  const auto args = ArgumentsOf<shader::EmbedArgs>(plan.only());
  EXPECT_EQ(args.row_bytes, 33u * 18);
  EXPECT_EQ(args.columns, 1056u);
  EXPECT_EQ(plan.only().bindings[0].bytes, 11u * 33 * 18);
}

TEST(GatherPlan, SelectRowsReadsTheNumbersOfTheBatch) {
  const CasePlan plan({.name = "select",
                       .op = &ops::kSelectRows,
                       .args = {Rows({Symbol::kT, 3, 50}), BatchArg()},
                       .sequences = {{0, 5}, {0, 2}}},
                      "select_rows_f32_metal");
  EXPECT_EQ(plan.only().pipeline, (PipelineKey{"gather", "gather_rows_f32", {}, 64}));
  EXPECT_EQ(plan.only().bindings[1].data, plan.batch().out_rows);
  EXPECT_EQ(plan.only().bindings[1].bytes, 8u);
  EXPECT_EQ(plan.only().groups, (Grid{3, 2, 1}));  // rows of 150 elements
  EXPECT_EQ(ArgumentsOf<shader::GatherArgs>(plan.only()).columns, 150u);
}

}  // namespace
}  // namespace infer::metal
