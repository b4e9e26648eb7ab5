// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/kernels.h"

#include <set>
#include <string_view>

#include "backends/formats/dequantize_row.h"
#include "backends/scalar/kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

std::set<std::string_view> NamesOf(std::span<const CpuKernel> table) {
  std::set<std::string_view> names;
  for (const CpuKernel& kernel : table) names.insert(kernel.info.name);
  return names;
}

TEST(SimdKernels, AreThereIfALevelIs) {
  EXPECT_EQ(SimdKernels().empty(), simd::ChosenLevel().level == nullptr);
}

TEST(SimdKernels, NamesAreUniqueAndSayTheOpAndTheTarget) {
  EXPECT_EQ(NamesOf(SimdKernels()).size(), SimdKernels().size());
  for (const CpuKernel& kernel : SimdKernels()) {
    EXPECT_EQ(kernel.info.target, Target::kSimd) << kernel.info.name;
    EXPECT_TRUE(kernel.info.name.ends_with("_simd")) << kernel.info.name;
    EXPECT_TRUE(kernel.info.name.starts_with(StrCat(kernel.info.op->name, "_")))
        << kernel.info.name;
    EXPECT_NE(kernel.info.accepts, nullptr) << kernel.info.name;
    EXPECT_NE(kernel.run, nullptr) << kernel.info.name;
  }
}

TEST(SimdKernels, EveryWeightTypeIsReadByTheOpsThatReadWeights) {
  if (SimdKernels().empty()) GTEST_SKIP() << simd::ChosenLevel().reason;
  const auto names = NamesOf(SimdKernels());
  for (DType type : formats::WeightTypes()) {
    for (std::string_view op : {"embed", "linear"}) {
      EXPECT_TRUE(names.contains(StrCat(op, "_", Name(type), "_simd"))) << op << Name(type);
    }
  }
}

TEST(SimdKernels, OpsOfTheDefaultPipelineHaveOne) {
  if (SimdKernels().empty()) GTEST_SKIP() << simd::ChosenLevel().reason;
  std::set<const OpDef*> found;
  for (const CpuKernel& kernel : SimdKernels()) found.insert(kernel.info.op);
  for (const OpDef* op : {&ops::kAdd, &ops::kAddRmsNorm, &ops::kArgmax, &ops::kAttention,
                          &ops::kAttentionInputs, &ops::kEmbed, &ops::kKvWrite, &ops::kLinear,
                          &ops::kMultiLinear, &ops::kQkNormRope, &ops::kRmsNorm, &ops::kRope,
                          &ops::kSelectRows, &ops::kSilu, &ops::kSoftmax, &ops::kSwiglu}) {
    EXPECT_TRUE(found.contains(op)) << op->name;
  }
}

}  // namespace
}  // namespace infer
