// SPDX-License-Identifier: Apache-2.0
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/backends/metal/case_dispatches.h"

namespace infer::metal {
namespace {

using conformance::ConformanceCase;
using conformance::Rows;
using conformance::Weight;
using ::testing::ElementsAre;

ConformanceCase LinearOf(DType type, int32_t tokens, int64_t outputs, int64_t inner) {
  return {.name = "linear",
          .op = &ops::kLinear,
          .args = {Rows({Symbol::kT, inner}), Weight(type, outputs, inner)},
          .sequences = {{0, tokens}}};
}

TEST(LinearPlan, OneTokenIsAMatrixVectorProduct) {
  const CaseDispatches dispatches(LinearOf(DType::kQ8_0, 1, 100, 64), "linear_q8_0_metal");
  const Dispatch& d = dispatches.only();
  // 2 rows of a simdgroup, 1 token; 4 simdgroups make 8 rows of a group.
  EXPECT_EQ(d.pipeline, (PipelineKey{"linear_q8_0", "matvec_q8_0", {2, 1}, 128}));
  EXPECT_EQ(d.groups, (Grid{13, 1, 1}));
  EXPECT_EQ(d.threads, (Grid{128, 1, 1}));
  EXPECT_EQ(d.threadgroup_bytes, 0u);
  EXPECT_EQ(d.flops, 2u * 100 * 64);
  const auto args = ArgumentsOf<shader::LinearArgs>(d);
  EXPECT_EQ(args.tokens, 1u);
  EXPECT_EQ(args.inner, 64u);
  EXPECT_EQ(args.outputs, 100u);
  EXPECT_EQ(args.row_bytes, 68u);
  ASSERT_EQ(d.bindings.size(), 3u);
  EXPECT_EQ(d.bindings[0].data, dispatches.args().in(1).data);
  EXPECT_EQ(d.bindings[0].bytes, 6800u);
  EXPECT_EQ(d.bindings[1].data, dispatches.args().in(0).data);
  EXPECT_EQ(d.bindings[2].data, dispatches.args().out().data);
  EXPECT_EQ(d.bindings[2].bytes, 400u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(d.bindings[i].index, i + 1);
    EXPECT_EQ(d.bindings[i].writes, i == 2);
  }
}

TEST(LinearPlan, FewTokensShareTheWeights) {
  struct Expected {
    int32_t tokens, of_group;
    uint32_t groups;
  };
  for (const Expected& e : {Expected{2, 2, 1}, Expected{3, 3, 1}, Expected{4, 4, 1},
                            Expected{5, 3, 2}, Expected{6, 3, 2}, Expected{7, 4, 2}}) {
    const CaseDispatches dispatches(LinearOf(DType::kQ4_0, e.tokens, 40, 64), "linear_q4_0_metal");
    EXPECT_EQ(dispatches.only().pipeline,
              (PipelineKey{"linear_q4_0", "matvec_q4_0", {4, e.of_group}, 64}));
    EXPECT_EQ(dispatches.only().groups, (Grid{5, e.groups, 1}));
    EXPECT_EQ(dispatches.only().threads, (Grid{64, 1, 1}));
  }
}

TEST(LinearPlan, ManyTokensAreTiles) {
  const CaseDispatches dispatches(LinearOf(DType::kQ8_0, 33, 100, 64), "linear_q8_0_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"linear_q8_0", "matmat_q8_0", {}, 128}));
  EXPECT_EQ(dispatches.only().groups, (Grid{2, 2, 1}));
  EXPECT_EQ(dispatches.only().threads, (Grid{128, 1, 1}));
}

TEST(LinearPlan, TheDeviceClassHasTheThreshold) {
  DeviceClass device = FindDeviceClass("");
  device.matrix_rows = 20;
  const CaseDispatches few(LinearOf(DType::kQ8_0, 19, 8, 64), "linear_q8_0_metal", device);
  EXPECT_EQ(few.only().pipeline.function, "matvec_q8_0");
  EXPECT_EQ(few.only().groups, (Grid{1, 5, 1}));
  const CaseDispatches many(LinearOf(DType::kQ8_0, 20, 8, 64), "linear_q8_0_metal", device);
  EXPECT_EQ(many.only().pipeline.function, "matmat_q8_0");
}

TEST(LinearPlan, RowsThatEndAnywhereTakeThePlainKernel) {
  const PipelineKey plain = {"matmul", "matmul_tiled_f32", {1}, 256};
  for (int64_t inner : {3, 37, 60, 65, 130}) {
    const CaseDispatches dispatches(LinearOf(DType::kF32, 9, 35, inner), "linear_f32_metal");
    EXPECT_EQ(dispatches.only().pipeline, plain) << inner;
    EXPECT_EQ(dispatches.only().groups, (Grid{3, 1, 1}));
    EXPECT_EQ(dispatches.only().threads, (Grid{16, 16, 1}));
  }
  const CaseDispatches wide(LinearOf(DType::kF32, 9, 35, 68), "linear_f32_metal");
  EXPECT_EQ(wide.only().pipeline.function, "matmat_f32");
  const CaseDispatches half(LinearOf(DType::kF16, 9, 35, 37), "linear_f16_metal");
  EXPECT_EQ(half.only().pipeline.function, "matmat_f16");
}

TEST(LinearPlan, PartsOfMultiLinearRunTogether) {
  const ConformanceCase c = {.name = "multi",
                             .op = &ops::kMultiLinear,
                             .args = {Rows({Symbol::kT, 512}), Weight(DType::kQ4_K, 64, 512),
                                      Weight(DType::kQ6_K, 33, 512), Weight(DType::kF32, 17, 512)},
                             .sequences = {{0, 9}}};
  const CaseDispatches dispatches(c, "multi_linear_metal");
  ASSERT_EQ(dispatches.dispatches().size(), 3u);
  EXPECT_EQ(dispatches.dispatches()[0].pipeline.function, "matmat_q4_k");
  EXPECT_EQ(dispatches.dispatches()[1].pipeline.function, "matmat_q6_k");
  EXPECT_EQ(dispatches.dispatches()[2].pipeline.function, "matmat_f32");
  EXPECT_THAT(BarriersBefore(dispatches.dispatches()), ::testing::Each(false));
}

TEST(LinearPlan, MatmulReadsBothAsTheyLie) {
  const ConformanceCase c = {.name = "matmul",
                             .op = &ops::kMatmul,
                             .args = {Rows({Symbol::kT, 20}), Rows({20, 33})},
                             .sequences = {{0, 17}}};
  const CaseDispatches dispatches(c, "matmul_f32_metal");
  EXPECT_EQ(dispatches.only().pipeline, (PipelineKey{"matmul", "matmul_tiled_f32", {0}, 256}));
  EXPECT_EQ(dispatches.only().groups, (Grid{3, 2, 1}));
  const auto args = ArgumentsOf<shader::MatmulArgs>(dispatches.only());
  EXPECT_EQ(args.rows, 17u);
  EXPECT_EQ(args.columns, 33u);
  EXPECT_EQ(args.inner, 20u);
}

std::vector<std::string> FunctionsFor(const ConformanceCase& c, std::string_view kernel,
                                      Range tokens, int64_t matrix_rows = 8) {
  SymbolRanges symbols;
  symbols[Symbol::kT] = tokens;
  DeviceClass device = FindDeviceClass("");
  device.matrix_rows = matrix_rows;
  std::vector<std::string> found;
  const CaseDispatches dispatches(c, kernel, device, symbols);
  for (const PipelineKey& key : dispatches.pipelines()) {
    const std::string tokens_of_group =
        key.function.starts_with("matvec") ? StrCat(" ", key.constants[1]) : "";
    found.push_back(StrCat(key.function, tokens_of_group));
  }
  return found;
}

// A pipeline that is made but never dispatched can only fail the regime.
TEST(LinearPlan, OnlyWhatTheRegimeCanDispatchIsMade) {
  const ConformanceCase q8 = LinearOf(DType::kQ8_0, 1, 8, 64);
  auto of = [&](int64_t min, int64_t max) {
    return FunctionsFor(q8, "linear_q8_0_metal", {min, max});
  };
  EXPECT_THAT(of(1, 1), ElementsAre("matvec_q8_0 1"));
  EXPECT_THAT(of(8, 512), ElementsAre("matmat_q8_0"));
  EXPECT_THAT(of(5, 6), ElementsAre("matvec_q8_0 3"));
  EXPECT_THAT(of(7, 8), ElementsAre("matvec_q8_0 4", "matmat_q8_0"));
  const std::vector<std::string> all = {"matvec_q8_0 1", "matvec_q8_0 2", "matvec_q8_0 3",
                                        "matvec_q8_0 4", "matmat_q8_0"};
  EXPECT_EQ(of(1, 512), all);
  EXPECT_EQ(of(0, 0), all);  // no range
  EXPECT_THAT(FunctionsFor(q8, "linear_q8_0_metal", {1, 512}, 0), ElementsAre("matmat_q8_0"));
  EXPECT_THAT(FunctionsFor(LinearOf(DType::kF32, 1, 8, 40), "linear_f32_metal", {9, 9}),
              ElementsAre("matmul_tiled_f32"));
}

TEST(LinearPlan, RowsOfLogitsHaveARangeOfTheirOwn) {
  ConformanceCase logits = LinearOf(DType::kQ8_0, 1, 8, 64);
  logits.args[0] = Rows({Symbol::kR, 64});
  SymbolRanges symbols;
  symbols[Symbol::kT] = {8, 512};
  symbols[Symbol::kR] = {1, 1};
  const CaseDispatches dispatches(logits, "linear_q8_0_metal", FindDeviceClass(""), symbols);
  EXPECT_THAT(dispatches.pipelines(), ElementsAre(dispatches.only().pipeline));
}

TEST(LinearPlan, RefusalsSayWhatWasFound) {
  Graph graph;
  const Node* node = conformance::MakeNode(LinearOf(DType::kQ5_1, 1, 8, 64), &graph);
  EXPECT_EQ(FindKernel("linear_q8_0_metal")->info.accepts(*node).reason(),
            "weight is q5_1; this kernel reads q8_0");
  const ConformanceCase multi = {.name = "multi",
                                 .op = &ops::kMultiLinear,
                                 .args = {Rows({Symbol::kT, 64}), Weight(DType::kQ5_1, 8, 64)}};
  Graph other;
  const Node* part = conformance::MakeNode(multi, &other);
  EXPECT_EQ(FindKernel("multi_linear_metal")->info.accepts(*part).reason(),
            "the shaders have no product for q5_1 weights");
}

}  // namespace
}  // namespace infer::metal
