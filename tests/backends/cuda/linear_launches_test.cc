// SPDX-License-Identifier: Apache-2.0
//
// Which launches a linear op makes for how many rows of x.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/backends/cuda/launches_of.h"

namespace infer::cuda {
namespace {

using conformance::ConformanceCase;
using ::testing::ElementsAre;

TEST(LinearLaunches, ProductsOfFewTokensAndOfMany) {
  const auto functions = [](DType type, int32_t tokens, int64_t inner) {
    return FunctionsOf(
        LaunchesOf(ProductCase(type, tokens, inner), StrCat("linear_", Name(type), "_cuda")));
  };
  EXPECT_THAT(functions(DType::kQ8_0, 2, 256), ElementsAre("prepare_rows", "few_q8_0_t8"));
  EXPECT_THAT(functions(DType::kQ8_0, 8, 256), ElementsAre("prepare_rows", "few_q8_0_t8"));
  EXPECT_THAT(functions(DType::kQ8_0, 9, 256), ElementsAre("prepare_rows", "few_q8_0_t16"));
  EXPECT_THAT(functions(DType::kQ8_0, 64, 256), ElementsAre("prepare_rows", "few_q8_0_t64"));
  EXPECT_THAT(functions(DType::kQ8_0, 65, 256),
              ElementsAre("convert_f16", "matmat_q8_0_m128", "merge_splits"));
  EXPECT_THAT(functions(DType::kF16, 2, 256), ElementsAre("convert_f16", "few_f16_t8"));
  EXPECT_THAT(functions(DType::kBF16, 33, 256), ElementsAre("convert_bf16", "few_bf16_t64"));
  // A prompt.
  ConformanceCase prompt = ProductCase(DType::kQ8_0, 16, 256);
  prompt.sequences = {{0, 16}};
  EXPECT_THAT(FunctionsOf(LaunchesOf(prompt, "linear_q8_0_cuda")),
              ElementsAre("convert_f16", "matmat_q8_0_m32", "merge_splits"));
  // Rows that are not strips of 128.
  EXPECT_THAT(functions(DType::kQ8_0, 3, 96), ElementsAre("prepare_rows", "matvec_q8_0_t4"));
  EXPECT_THAT(functions(DType::kQ8_0, 9, 96), ElementsAre("convert_f16", "matmat_q8_0_m32"));
  EXPECT_THAT(functions(DType::kF16, 8, 96), ElementsAre("matvec_f16_t8"));
}

TEST(LinearLaunches, JoinedOpsAreOneLaunchForOneToken) {
  const auto functions = [](int32_t tokens) {
    return FunctionsOf(
        LaunchesOf({.name = "swiglu",
                    .op = &ops::kNormSwiglu,
                    .args = {conformance::Rows({Symbol::kT, 256}), conformance::Norm(256),
                             conformance::Weight(DType::kQ8_0, 64, 256),
                             conformance::Weight(DType::kQ8_0, 64, 256)},
                    .attrs = {1e-6},
                    .sequences = {{0, tokens}}},
                   "norm_swiglu_cuda"));
  };
  EXPECT_THAT(functions(1), ElementsAre("stream_q8_0_r1s4_gated"));
  EXPECT_THAT(functions(2), ElementsAre("prepare_rows", "few_q8_0_t8", "fast_swiglu_f32"));
  EXPECT_THAT(functions(65), ElementsAre("rms_norm_f32", "convert_f16", "matmat_q8_0_m128",
                                         "merge_splits", "swiglu_f32"));
}

}  // namespace
}  // namespace infer::cuda
