// SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/backends/metal/case_dispatches.h"

namespace infer::metal {
namespace {

using conformance::ConformanceCase;
using conformance::Norm;
using conformance::Rows;

ConformanceCase RowsOf(const OpDef& op, int64_t columns, std::vector<Attr> attrs = {}) {
  return {.name = "rows",
          .op = &op,
          .args = {Rows({Symbol::kT, columns})},
          .attrs = std::move(attrs),
          .sequences = {{0, 3}}};
}

TEST(RowPlans, ThreadsFollowTheRow) {
  EXPECT_EQ(CaseDispatches(RowsOf(ops::kSoftmax, 1), "softmax_f32_metal").only().threads,
            (Grid{32}));
  EXPECT_EQ(CaseDispatches(RowsOf(ops::kSoftmax, 129), "softmax_f32_metal").only().threads,
            (Grid{64}));
  EXPECT_EQ(CaseDispatches(RowsOf(ops::kSoftmax, 5000), "softmax_f32_metal").only().threads,
            (Grid{256}));
  EXPECT_EQ(CaseDispatches(RowsOf(ops::kArgmax, 5000), "argmax_f32_metal").only().threads,
            (Grid{512}));
}

TEST(RowPlans, AGroupForEachRow) {
  const CaseDispatches dispatches(RowsOf(ops::kArgmax, 100), "argmax_f32_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"softmax", "argmax_f32", {}, 512}));
  EXPECT_EQ(dispatches.only().groups, (Grid{3, 1, 1}));
  EXPECT_EQ(ArgumentsOf<shader::RowArgs>(dispatches.only()).columns, 100u);
  ASSERT_EQ(dispatches.only().bindings.size(), 3u);
  EXPECT_EQ(dispatches.only().bindings[1].data, dispatches.args().out(0).data);
  EXPECT_EQ(dispatches.only().bindings[2].data, dispatches.args().out(1).data);
}

TEST(RowPlans, NormsHaveAnEps) {
  ConformanceCase c = RowsOf(ops::kAddRmsNorm, 64, {1e-5});
  c.args.push_back(Rows({Symbol::kT, 64}));
  c.args.push_back(Norm(64));
  const CaseDispatches dispatches(c, "add_rms_norm_f32_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"norm", "add_rms_norm_f32", {}, 256}));
  EXPECT_EQ(ArgumentsOf<shader::RowArgs>(dispatches.only()).eps, 1e-5f);
  ASSERT_EQ(dispatches.only().bindings.size(), 5u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(dispatches.only().bindings[i].writes, i >= 3) << i;
}

}  // namespace
}  // namespace infer::metal
