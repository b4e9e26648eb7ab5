// SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/backends/metal/case_dispatches.h"

namespace infer::metal {
namespace {

using conformance::ConformanceCase;
using conformance::Norm;
using conformance::Rows;

ConformanceCase With(const OpDef& op, std::vector<conformance::Arg> args,
                     std::vector<Attr> attrs = {}) {
  return {.name = "elementwise",
          .op = &op,
          .args = std::move(args),
          .attrs = std::move(attrs),
          .sequences = {{0, 3}}};
}

TEST(ElementwisePlan, AVectorIsRepeated) {
  const CaseDispatches vector(With(ops::kMul, {Rows({Symbol::kT, 500}), Norm(500)}),
                              "mul_f32_metal");
  EXPECT_EQ(vector.only().pipeline, (PipelineKey{"elementwise", "mul_f32", {1}, 256}));
  EXPECT_EQ(ArgumentsOf<shader::ElementArgs>(vector.only()).period, 500u);
  const CaseDispatches same(With(ops::kMul, {Rows({Symbol::kT, 500}), Rows({Symbol::kT, 500})}),
                            "mul_f32_metal");
  EXPECT_EQ(same.only().pipeline, (PipelineKey{"elementwise", "mul_f32", {0}, 256}));
}

TEST(ElementwisePlan, FourElementsOfAThread) {
  const CaseDispatches dispatches(With(ops::kScale, {Rows({Symbol::kT, 500})}, {0.1}),
                                  "scale_f32_metal");
  EXPECT_EQ(dispatches.only().groups, (Grid{2, 1, 1}));  // 1500 elements, 1024 of a group
  EXPECT_EQ(dispatches.only().threads, (Grid{256, 1, 1}));
  EXPECT_EQ(ArgumentsOf<shader::ElementArgs>(dispatches.only()).count, 1500u);
  EXPECT_EQ(ArgumentsOf<shader::ElementArgs>(dispatches.only()).value, 0.1f);
}

}  // namespace
}  // namespace infer::metal
