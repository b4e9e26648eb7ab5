// SPDX-License-Identifier: Apache-2.0
//
// Whole kernels against a reference in double, in every order of threads and with several workers.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "runtime/half.h"
#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

constexpr char kMatmulShader[] = "tests/metal_emulation/tests/samples/matmul.metal";

struct MatmulArgs {
  uint32_t rows, columns, inner;
};

std::vector<float> Random(size_t count, uint32_t seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> result(count);
  for (float& value : result) value = values(random);
  return result;
}

void ExpectProduct(const MatmulArgs& args, const std::vector<float>& a, const std::vector<float>& b,
                   const std::vector<float>& c) {
  // 8 roundings of a sum of up to 70 products below 1.
  constexpr double kTolerance = 2e-5;
  for (uint32_t i = 0; i < args.rows; ++i) {
    for (uint32_t j = 0; j < args.columns; ++j) {
      double sum = 0;
      for (uint32_t k = 0; k < args.inner; ++k) {
        sum += double{a[i * args.inner + k]} * b[k * args.columns + j];
      }
      ASSERT_NEAR(c[i * args.columns + j], sum, kTolerance) << i << ", " << j;
    }
  }
}

class Matmul : public ::testing::TestWithParam<MatmulArgs> {};

TEST_P(Matmul, TiledIsTheProductInEveryOrder) {
  const MatmulArgs args = GetParam();
  const std::vector<float> a = Random(args.rows * args.inner, 1);
  const std::vector<float> b = Random(args.inner * args.columns, 2);
  for (Settings settings : AllOrders()) {
    settings.workers = 2;
    const ScopedSettings scoped(settings);
    MetalHarness metal;
    const auto pipeline = metal.Pipeline(kMatmulShader, "matmul_tiled");
    ASSERT_TRUE(pipeline);
    const auto a_buffer = metal.BufferOf(a), b_buffer = metal.BufferOf(b);
    const auto c_buffer = metal.Buffer(args.rows * args.columns * sizeof(float));
    EXPECT_EQ(metal.Run(pipeline.get(),
                        {{0, a_buffer.get()},
                         {1, b_buffer.get()},
                         {2, c_buffer.get()},
                         {.index = 3, .bytes = BytesOf(args)}},
                        MTL::Size((args.columns + 15) / 16, (args.rows + 15) / 16, 1),
                        MTL::Size(16, 16, 1)),
              "");
    ExpectProduct(args, a, b, Contents<float>(c_buffer));
  }
}

TEST_P(Matmul, SimdgroupMatricesGiveTheProductInEveryOrder) {
  const MatmulArgs args = GetParam();
  std::vector<float> a = Random(args.rows * args.inner, 3);
  std::vector<float> b = Random(args.inner * args.columns, 4);
  for (const Settings& settings : AllOrders()) {
    const ScopedSettings scoped(settings);
    for (const bool f16 : {false, true}) {
      MetalHarness metal;
      const auto pipeline =
          metal.Pipeline(kMatmulShader, f16 ? "matmul_simdgroup_f16" : "matmul_simdgroup_f32");
      ASSERT_TRUE(pipeline);
      const auto upload = [&](std::vector<float>& values) {
        if (!f16) return metal.BufferOf(values);
        std::vector<uint16_t> halves;
        for (float& value : values) {
          halves.push_back(F32ToF16(value));
          value = F16ToF32(halves.back());
        }
        return metal.BufferOf(halves);
      };
      const auto a_buffer = upload(a), b_buffer = upload(b);
      const auto c_buffer = metal.Buffer(args.rows * args.columns * sizeof(float));
      EXPECT_EQ(metal.Run(pipeline.get(),
                          {{0, a_buffer.get()},
                           {1, b_buffer.get()},
                           {2, c_buffer.get()},
                           {.index = 3, .bytes = BytesOf(args)}},
                          MTL::Size((args.columns + 15) / 16, (args.rows + 15) / 16, 1),
                          MTL::Size(64, 1, 1), 1024),
                "");
      ExpectProduct(args, a, b, Contents<float>(c_buffer));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Matmul,
                         ::testing::Values(MatmulArgs{16, 16, 16}, MatmulArgs{33, 17, 9},
                                           MatmulArgs{1, 70, 64}, MatmulArgs{64, 48, 70}));

}  // namespace
}  // namespace infer::emulation
