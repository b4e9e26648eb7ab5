// SPDX-License-Identifier: Apache-2.0
//
// Products of rows that are rounded to bf16 already. Run once for each level that has tiles.
#include "backends/simd/linear.h"

#include <gtest/gtest.h>

#include <cstring>

#include "backends/simd/kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "backends/simd/weight_layouts.h"
#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "runtime/half.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

// The same values, and rounded as tiles round them.
struct Rows {
  Rows(int64_t tokens, int64_t inner) {
    const std::vector<float> values = RandomFloats(tokens * inner, 7);
    std::vector<std::byte> halves(values.size() * sizeof(uint16_t));
    for (size_t i = 0; i < values.size(); ++i) {
      const uint16_t half = F32ToBF16(values[i]);
      std::memcpy(halves.data() + i * sizeof(half), &half, sizeof(half));
    }
    const Shape shape = {tokens, inner};
    f32 = F32Tensor(shape, values);
    bf16 = RawTensor(DType::kBF16, shape, halves);
  }

  TestTensor f32, bf16;
};

TestTensor F16Weight(int64_t outputs, int64_t inner, uint32_t seed) {
  std::vector<std::byte> bytes(static_cast<size_t>(outputs * inner) * sizeof(uint16_t));
  const std::vector<float> values = RandomFloats(outputs * inner, seed);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t half = F32ToF16(values[i]);
    std::memcpy(bytes.data() + i * sizeof(half), &half, sizeof(half));
  }
  return RawTensor(DType::kF16, {outputs, inner}, bytes);
}

// Whole tiles of rows and others, whole blocks of chunks and others, and rows in several parts.
TEST(RoundedRows, GiveTheBitsOfRowsThatTheProductRounds) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  for (int64_t tokens : {1, 16, 17, 32, 61, 263, 530}) {
    for (int64_t inner : {32, 288}) {
      const Rows x(tokens, inner);
      const auto product = [&](const TestTensor& rows) {
        return KernelHarness(SimdKernels(), "multi_linear_tiles_simd", simd::WeightLayouts())
            .In(rows)
            .Weight(F16Weight(80, inner, 1))
            .Weight(F16Weight(33, inner, 2))
            .Run();
      };
      const std::vector<TestTensor> rounded = product(x.bf16), expected = product(x.f32);
      ASSERT_EQ(rounded.size(), 2u);
      for (size_t i = 0; i < rounded.size(); ++i) {
        EXPECT_EQ(rounded[i].bytes, expected[i].bytes)
            << tokens << " rows of " << inner << ", product " << i;
      }
    }
  }
}

TEST(RoundedRows, AreTakenInTilesOnlyAndAsWholeTiles) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  const auto reason = [](std::string_view name, DType weight, int64_t inner) {
    Graph graph;
    GraphBuilder builder(&graph);
    const ValueType rows = ValueType::Tensor(DType::kBF16, {Symbol::kT, inner});
    Value x = graph.AddInput("x", rows)->output();
    Value w = ops::WeightRef(builder, "w", ValueType::Tensor(weight, {64, inner}));
    const Node& node = *ops::Linear(builder, x, w).node;
    for (const CpuKernel& kernel : SimdKernels()) {
      if (kernel.info.name == name) return kernel.info.accepts(node).reason();
    }
    return std::string("no such kernel");
  };
  EXPECT_EQ(reason("linear_f16_tiles_simd", DType::kF16, 64), "");
  const std::string level(simd::ChosenLevel().level->name);
  EXPECT_EQ(reason("linear_f16_tiles_simd", DType::kF16, 72),
            StrCat("level ", level, " has no product of bf16 rows of 72 with f16 weights"));
  EXPECT_EQ(reason("linear_f16_simd", DType::kF16, 64),
            StrCat("level ", level, " has no product of bf16 rows of 64 with f16 weights"));
}

}  // namespace
}  // namespace infer
