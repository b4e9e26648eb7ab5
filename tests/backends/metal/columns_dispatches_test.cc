// SPDX-License-Identifier: Apache-2.0
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/backends/metal/case_dispatches.h"

namespace infer::metal {
namespace {

using conformance::ConformanceCase;
using conformance::Rows;

ConformanceCase Of(const OpDef& op, std::vector<conformance::Arg> args,
                   std::vector<Attr> attrs = {}) {
  return {.name = "columns",
          .op = &op,
          .args = std::move(args),
          .attrs = std::move(attrs),
          .sequences = {{0, 3}}};
}

TEST(ColumnsPlan, ASliceBeginsWithinTheRow) {
  const CaseDispatches dispatches(
      Of(ops::kSliceColumns, {Rows({Symbol::kT, 200})}, {int64_t{30}, int64_t{100}}),
      "slice_columns_f32_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"columns", "copy_columns_f32", {}, 64}));
  EXPECT_EQ(dispatches.only().groups, (Grid{2, 3, 1}));
  const auto args = ArgumentsOf<shader::ColumnArgs>(dispatches.only());
  EXPECT_EQ(args.rows, 3u);
  EXPECT_EQ(args.columns, 100u);
  EXPECT_EQ(args.from_stride, 200u);
  EXPECT_EQ(args.from, 30u);
  EXPECT_EQ(args.to_stride, 100u);
  EXPECT_EQ(args.to, 0u);
}

// One result that all parts write to: only byte ranges are compared, so they wait.
TEST(ColumnsPlan, PartsFollowEachOther) {
  const CaseDispatches dispatches(
      Of(ops::kConcatColumns, {Rows({Symbol::kT, 5}), Rows({Symbol::kT, 70})}),
      "concat_columns_f32_metal");
  ASSERT_EQ(dispatches.dispatches().size(), 2u);
  EXPECT_EQ(ArgumentsOf<shader::ColumnArgs>(dispatches.dispatches()[0]).to, 0u);
  const auto second = ArgumentsOf<shader::ColumnArgs>(dispatches.dispatches()[1]);
  EXPECT_EQ(second.to, 5u);
  EXPECT_EQ(second.from_stride, 70u);
  EXPECT_EQ(second.to_stride, 75u);
  EXPECT_EQ(dispatches.dispatches()[1].bindings[0].data, dispatches.args().in(1).data);
  EXPECT_THAT(BarriersBefore(dispatches.dispatches()), ::testing::ElementsAre(false, true));
}

TEST(ColumnsPlan, TransposeHasTilesOfTheResult) {
  const CaseDispatches dispatches(Of(ops::kTranspose, {Rows({Symbol::kT, 20})}),
                                  "transpose_f32_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"columns", "transpose_f32", {}, 256}));
  EXPECT_EQ(dispatches.only().groups, (Grid{1, 2, 1}));
  EXPECT_EQ(dispatches.only().threads, (Grid{16, 16, 1}));
  const auto args = ArgumentsOf<shader::GatherArgs>(dispatches.only());
  EXPECT_EQ(args.rows, 20u);
  EXPECT_EQ(args.columns, 3u);
}

TEST(ColumnsPlan, BroadcastCountsTheRowsOfTheResult) {
  const CaseDispatches dispatches(Of(ops::kBroadcastRows, {Rows({Symbol::kT, 4})}, {int64_t{70}}),
                                  "broadcast_rows_f32_metal");
  EXPECT_EQ(dispatches.only().groups, (Grid{2, 12, 1}));
  EXPECT_EQ(ArgumentsOf<shader::GatherArgs>(dispatches.only()).rows, 12u);
}

}  // namespace
}  // namespace infer::metal
