// SPDX-License-Identifier: Apache-2.0
//
// An expert's rows have the bits that the product of the same kind gives them alone.
#include "backends/simd/experts.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "backends/simd/linear_kind.h"
#include "backends/simd/weight_layouts.h"
#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "tests/support/kernel_harness.h"
#include "tools/synth/random_blocks.h"

namespace infer {
namespace {

constexpr int64_t kExperts = 5, kUsed = 2, kOutputs = 70;

std::vector<std::byte> RandomMatrices(DType dtype, int64_t rows, int64_t columns, uint64_t key) {
  const RandomRows random(dtype, static_cast<uint64_t>(columns), key);
  std::vector<std::byte> bytes(rows * random.row_bytes());
  for (int64_t row = 0; row < rows; ++row) {
    random.Fill(static_cast<uint64_t>(row),
                std::span(bytes).subspan(row * random.row_bytes(), random.row_bytes()));
  }
  return bytes;
}

// Who gets the rows.
std::vector<int32_t> Evenly(int64_t tokens) {
  std::vector<int32_t> ids;
  for (int32_t t = 0; t < tokens; ++t) {
    ids.push_back(t * 7 % kExperts);
    ids.push_back((t * 7 + 1 + t % 3) % kExperts);
  }
  return ids;
}
std::vector<int32_t> AllTheSame(int64_t tokens) {
  std::vector<int32_t> ids;
  for (int64_t t = 0; t < tokens; ++t) ids.insert(ids.end(), {3, 1});
  return ids;
}

struct Case {
  DType dtype;
  int64_t tokens;
  std::vector<int32_t> ids;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (DType dtype : formats::WeightTypes()) {
    for (int64_t tokens : {1, 3, 45}) cases.push_back({dtype, tokens, Evenly(tokens)});
    cases.push_back({dtype, 19, AllTheSame(19)});
    // No router names an expert twice, but a graph may.
    cases.push_back({dtype, 1, {3, 3}});
    cases.push_back({dtype, 20, std::vector<int32_t>(20 * kUsed, 2)});
  }
  return cases;
}

bool HasKernel(const std::string& name) {
  for (const CpuKernel& kernel : SimdKernels()) {
    if (kernel.info.name == name) return true;
  }
  return false;
}

// The result of `linear` for the rows of one expert, by the kernel that experts use for so many.
std::vector<float> Alone(const Case& c, const std::string& kind, int64_t inner,
                         const std::vector<float>& x, std::span<const std::byte> matrix) {
  const int64_t rows = static_cast<int64_t>(x.size()) / inner;
  const bool few = kind == "tiles_simd" && rows < simd::kTileMinRows;
  return KernelHarness(SimdKernels(), StrCat("linear_", Name(c.dtype), "_", few ? "simd" : kind),
                       simd::WeightLayouts())
      .In(F32Tensor({rows, inner}, x))
      .Weight(RawTensor(c.dtype, {kOutputs, inner}, {matrix.begin(), matrix.end()}))
      .Run()[0]
      .floats();
}

class ExpertKernels : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (SimdKernels().empty()) GTEST_SKIP() << simd::ChosenLevel().reason;
  }

  // Whether the level has the kind for the type.
  static bool IsThere(DType dtype, const std::string& kind) {
    if (!HasKernel(StrCat("expert_linear_", Name(dtype), "_", kind))) return false;
    const simd::LinearKind kinds[] = {simd::LinearKind::kTiles, simd::LinearKind::kInvariant,
                                      simd::LinearKind::kFloat, simd::LinearKind::kFast};
    const std::string names[] = {"tiles_simd", "rows_simd", "float_simd", "simd"};
    for (int i = 0; i < 4; ++i) {
      if (names[i] != kind) continue;
      if (i == 0) return simd::HasTiles(dtype);
      return simd::KernelFor(dtype, kinds[i]) != nullptr;
    }
    return false;
  }
};

TEST_P(ExpertKernels, GiveEachRowTheBitsOfLinear) {
  int compared = 0;
  for (const Case& c : Cases()) {
    if (!IsThere(c.dtype, GetParam())) continue;
    const int64_t inner = IsQuantized(c.dtype) ? 2 * Info(c.dtype).block_elements : 96;
    const std::vector<float> x = RandomFloats(c.tokens * inner, 3);
    const std::vector<std::byte> w = RandomMatrices(c.dtype, kExperts * kOutputs, inner, 11);
    const std::vector<float> found =
        KernelHarness(SimdKernels(), StrCat("expert_linear_", Name(c.dtype), "_", GetParam()),
                      simd::WeightLayouts())
            .In(F32Tensor({c.tokens, inner}, x))
            .Weight(RawTensor(c.dtype, {kExperts, kOutputs, inner}, w))
            .In(I32Tensor({c.tokens, kUsed}, c.ids))
            .Run()[0]
            .floats();
    for (int64_t expert = 0; expert < kExperts; ++expert) {
      std::vector<float> rows;
      std::vector<int64_t> places;
      for (int64_t place = 0; place < c.tokens * kUsed; ++place) {
        if (c.ids[place] != expert) continue;
        places.push_back(place);
        rows.insert(rows.end(), x.begin() + place / kUsed * inner,
                    x.begin() + (place / kUsed + 1) * inner);
      }
      if (places.empty()) continue;
      const size_t bytes = w.size() / kExperts;
      const std::vector<float> alone =
          Alone(c, GetParam(), inner, rows, std::span(w).subspan(expert * bytes, bytes));
      for (size_t i = 0; i < places.size(); ++i) {
        for (int64_t column = 0; column < kOutputs; ++column) {
          ASSERT_EQ(std::bit_cast<uint32_t>(found[places[i] * kOutputs + column]),
                    std::bit_cast<uint32_t>(alone[i * kOutputs + column]))
              << Name(c.dtype) << ", " << c.tokens << " tokens, expert " << expert << ", row " << i;
          ++compared;
        }
      }
    }
  }
  if (compared == 0) GTEST_SKIP() << "this level has no such products";
}

// The rows of a token go to different experts.
TEST_P(ExpertKernels, TakeARowForEachExpert) {
  if (!IsThere(DType::kQ8_0, GetParam())) GTEST_SKIP() << "this level has no such products";
  constexpr int64_t kTokens = 20, kInner = 64;
  const std::vector<float> x = RandomFloats(kTokens * kUsed * kInner, 3);
  const TestTensor w = RawTensor(DType::kQ8_0, {kExperts, kOutputs, kInner},
                                 RandomMatrices(DType::kQ8_0, kExperts * kOutputs, kInner, 11));
  const std::string kernel = StrCat("expert_linear_q8_0_", GetParam());
  auto run = [&](const TestTensor& rows, int64_t tokens, int64_t used) {
    return KernelHarness(SimdKernels(), kernel, simd::WeightLayouts())
        .In(rows)
        .Weight(w)
        .In(I32Tensor({tokens, used}, Evenly(kTokens)))
        .Run()[0]
        .floats();
  };
  // As many tokens with one expert each.
  EXPECT_EQ(run(F32Tensor({kTokens, kUsed, kInner}, x), kTokens, kUsed),
            run(F32Tensor({kTokens * kUsed, kInner}, x), kTokens * kUsed, 1));
}

TEST_P(ExpertKernels, GiveNanToExpertsThatDoNotExist) {
  if (!IsThere(DType::kQ8_0, GetParam())) GTEST_SKIP() << "this level has no such products";
  const std::vector<float> found =
      KernelHarness(SimdKernels(), StrCat("expert_linear_q8_0_", GetParam()), simd::WeightLayouts())
          .In(F32Tensor({2, 32}, RandomFloats(64, 3)))
          .Weight(RawTensor(DType::kQ8_0, {kExperts, kOutputs, 32},
                            RandomMatrices(DType::kQ8_0, kExperts * kOutputs, 32, 11)))
          .In(I32Tensor({2, 2}, {kExperts, 0, 4, -3}))
          .Run()[0]
          .floats();
  for (int64_t column = 0; column < kOutputs; ++column) {
    EXPECT_TRUE(std::isnan(found[column]));
    EXPECT_FALSE(std::isnan(found[kOutputs + column]));
    EXPECT_FALSE(std::isnan(found[2 * kOutputs + column]));
    EXPECT_TRUE(std::isnan(found[3 * kOutputs + column]));
  }
}

// expert_swiglu gives the bits of two products and a swiglu, also of different types.
TEST_P(ExpertKernels, JoinGateAndUp) {
  constexpr int64_t kInner = 256;
  for (DType up_type : {DType::kQ4_K, DType::kQ8_0, DType::kF16}) {
    if (!IsThere(DType::kQ4_K, GetParam()) || !IsThere(up_type, GetParam())) continue;
    for (int64_t tokens : {1, 45}) {
      const TestTensor x = F32Tensor({tokens, kInner}, RandomFloats(tokens * kInner, 3));
      const TestTensor gate =
          RawTensor(DType::kQ4_K, {kExperts, kOutputs, kInner},
                    RandomMatrices(DType::kQ4_K, kExperts * kOutputs, kInner, 11));
      const TestTensor up = RawTensor(up_type, {kExperts, kOutputs, kInner},
                                      RandomMatrices(up_type, kExperts * kOutputs, kInner, 12));
      const TestTensor ids = I32Tensor({tokens, kUsed}, Evenly(tokens));
      auto project = [&](DType type, const TestTensor& weight) {
        return KernelHarness(SimdKernels(), StrCat("expert_linear_", Name(type), "_", GetParam()),
                             simd::WeightLayouts())
            .In(x)
            .Weight(weight)
            .In(ids)
            .Run()[0]
            .floats();
      };
      const Shape shape = {tokens, kUsed, kOutputs};
      const auto expected = KernelHarness(SimdKernels(), "swiglu_f32_simd")
                                .In(F32Tensor(shape, project(DType::kQ4_K, gate)))
                                .In(F32Tensor(shape, project(up_type, up)))
                                .Run()[0]
                                .floats();
      const auto found =
          KernelHarness(SimdKernels(), StrCat("expert_swiglu_", GetParam()), simd::WeightLayouts())
              .In(x)
              .Weight(gate)
              .Weight(up)
              .In(ids)
              .Run()[0]
              .floats();
      EXPECT_EQ(found, expected) << Name(up_type) << ", " << tokens << " tokens";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExpertKernels,
                         ::testing::Values("simd", "tiles_simd", "rows_simd", "float_simd"),
                         [](const auto& kind) { return kind.param; });

TEST(SimdRoute, ChoosesTheLargestProbabilities) {
  if (SimdKernels().empty()) GTEST_SKIP() << simd::ChosenLevel().reason;
  auto out = KernelHarness(SimdKernels(), "route_f32_simd")
                 .In(F32Tensor({2, 4}, {0, std::log(4.0f), std::log(2.0f), 0, 9, 1, 1, 9}))
                 .Attrs({int64_t{2}, true})
                 .Run();
  EXPECT_EQ(out[0].ints(), (std::vector<int32_t>{1, 2, 0, 3}));
  EXPECT_NEAR(out[1].floats()[0], 2.0f / 3, 1e-6);
  EXPECT_NEAR(out[1].floats()[1], 1.0f / 3, 1e-6);
  EXPECT_NEAR(out[1].floats()[2], 0.5f, 1e-6);
}

TEST(SimdCombine, AddsWeightedRows) {
  if (SimdKernels().empty()) GTEST_SKIP() << simd::ChosenLevel().reason;
  auto out = KernelHarness(SimdKernels(), "combine_f32_simd")
                 .In(F32Tensor({2, 2, 3}, {1, 2, 3, 10, 20, 30, 4, 5, 6, 7, 8, 9}))
                 .In(F32Tensor({2, 2}, {1, 0.5f, 2, -1}))
                 .Run();
  EXPECT_EQ(out[0].floats(), (std::vector<float>{6, 12, 18, 1, 2, 3}));
}

}  // namespace
}  // namespace infer
