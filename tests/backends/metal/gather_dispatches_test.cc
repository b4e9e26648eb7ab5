// SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/backends/metal/case_dispatches.h"

namespace infer::metal {
namespace {

using conformance::BatchArg;
using conformance::Indices;
using conformance::Rows;
using conformance::Weight;

TEST(GatherPlan, EmbedTakes16ElementsOfAThread) {
  const CaseDispatches dispatches({.name = "embed",
                                   .op = &ops::kEmbed,
                                   .args = {Weight(DType::kQ4_0, 11, 1056), Indices(11)},
                                   .sequences = {{0, 5}}},
                                  "embed_q4_0_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"embed", "embed_q4_0", {}, 64}));
  EXPECT_EQ(dispatches.only().groups, (Grid{2, 5, 1}));
  EXPECT_EQ(dispatches.only().threads, (Grid{64, 1, 1}));
  const auto args = ArgumentsOf<shader::EmbedArgs>(dispatches.only());
  EXPECT_EQ(args.row_bytes, 33u * 18);
  EXPECT_EQ(args.columns, 1056u);
  EXPECT_EQ(dispatches.only().bindings[0].bytes, 11u * 33 * 18);
}

TEST(GatherPlan, SelectRowsReadsTheNumbersOfTheBatch) {
  const CaseDispatches dispatches({.name = "select",
                                   .op = &ops::kSelectRows,
                                   .args = {Rows({Symbol::kT, 3, 50}), BatchArg()},
                                   .sequences = {{0, 5}, {0, 2}}},
                                  "select_rows_f32_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"gather", "gather_rows_f32", {}, 64}));
  EXPECT_EQ(dispatches.only().bindings[1].data, dispatches.batch().out_rows);
  EXPECT_EQ(dispatches.only().bindings[1].bytes, 8u);
  EXPECT_EQ(dispatches.only().groups, (Grid{3, 2, 1}));  // rows of 150 elements
  EXPECT_EQ(ArgumentsOf<shader::GatherArgs>(dispatches.only()).columns, 150u);
}

}  // namespace
}  // namespace infer::metal
