// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "runtime/half.h"
#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

using ::testing::ElementsAre;

constexpr char kShader[] = "tests/metal_emulation/tests/samples/vocabulary.metal";

template <class T>
std::vector<T> RunKernel(const char* kernel, size_t count,
                         const std::function<Ref<MTL::Buffer>(MetalHarness&, int)>& argument = {},
                         MTL::Size groups = MTL::Size(1, 1, 1),
                         MTL::Size threads = MTL::Size(32, 1, 1)) {
  MetalHarness metal;
  const auto pipeline = metal.Pipeline(kShader, kernel);
  if (!pipeline) {
    ADD_FAILURE() << "no kernel " << kernel;
    return std::vector<T>(count);
  }
  const auto out = metal.Buffer(count * sizeof(T));
  const auto one = argument ? argument(metal, 1) : out, two = argument ? argument(metal, 2) : out;
  EXPECT_EQ(
      metal.Run(pipeline.get(), {{0, out.get()}, {1, one.get()}, {2, two.get()}}, groups, threads),
      "");
  return Contents<T>(out);
}

uint32_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

TEST(Vocabulary, Shuffles) {
  for (const Settings& settings : AllOrders()) {
    const ScopedSettings scoped(settings);
    const std::vector<float> out = RunKernel<float>("shuffles", 16 * 32);
    for (int lane = 0; lane < 32; ++lane) {
      const float* const mine = &out[static_cast<size_t>(16 * lane)];
      EXPECT_EQ(mine[0], 31 - lane);
      EXPECT_EQ(mine[1], lane ^ 5);
      EXPECT_EQ(mine[2], lane < 28 ? lane + 4 : lane);
      EXPECT_EQ(mine[3], lane >= 4 ? lane - 4 : lane);
      EXPECT_EQ(mine[4], 7);
      EXPECT_EQ(mine[5], 0.5f);
      EXPECT_EQ(mine[6], (lane + 3) % 32);
      EXPECT_EQ(mine[7], (lane + 29) % 32);
      EXPECT_EQ(mine[8], -9);
    }
  }
}

TEST(Vocabulary, Reductions) {
  std::vector<float> in(32);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>((i * 7) % 32) - 8.0f;
  for (const Settings& settings : AllOrders()) {
    const ScopedSettings scoped(settings);
    const std::vector<float> out = RunKernel<float>(
        "reductions", 16 * 32, [&](MetalHarness& metal, int) { return metal.BufferOf(in); });
    float prefix = 0;
    for (size_t lane = 0; lane < 32; ++lane) {
      const float* const mine = &out[16 * lane];
      EXPECT_EQ(mine[0], std::accumulate(in.begin(), in.end(), 0.0f));
      EXPECT_EQ(mine[1], 23);
      EXPECT_EQ(mine[2], -8);
      EXPECT_EQ(mine[3], prefix);
      prefix += in[lane];
      EXPECT_EQ(mine[4], prefix);
      EXPECT_EQ(mine[5], 32 * 33 / 2);
      EXPECT_EQ(mine[6], 32);  // 1 ^ 2 ^ ... ^ 31 is 0
      EXPECT_EQ(mine[7], 63);
      EXPECT_EQ(mine[8], 64);
      EXPECT_EQ(mine[9], 1);
      EXPECT_EQ(mine[10], 0);
      EXPECT_EQ(mine[11], 32);
      EXPECT_EQ(mine[12], 96);
    }
  }
}

TEST(Vocabulary, Vectors) {
  const std::vector<uint16_t> halves = {F32ToF16(1), F32ToF16(2), F32ToF16(3), F32ToF16(4)};
  const std::vector<float> packed = {1, 2, 3, 4, 5, 6};
  const std::vector<float> out = RunKernel<float>("vectors", 16, [&](MetalHarness& metal, int i) {
    return i == 1 ? metal.BufferOf(halves) : metal.BufferOf(packed);
  });
  EXPECT_THAT(out, ElementsAre(4, 0.5f, 3, 4, 654, 11.5f, 4, 1, -4, 255, 2, 1, 4, 12.16f, 5, 1));
}

TEST(Vocabulary, BitsAndAtomics) {
  MetalHarness metal;
  const auto out = metal.Buffer(12 * 4);
  const auto counter = metal.BufferOf(std::vector<uint32_t>{0});
  const auto largest = metal.BufferOf(std::vector<int32_t>{-1});
  Settings settings;
  settings.workers = 4;
  const ScopedSettings scoped(settings);
  EXPECT_EQ(metal.Run(metal.Pipeline(kShader, "bits").get(),
                      {{0, out.get()}, {1, counter.get()}, {2, largest.get()}}, MTL::Size(64, 1, 1),
                      MTL::Size(128, 1, 1)),
            "");
  EXPECT_THAT(Contents<uint32_t>(counter), ElementsAre(2u * 64 * 128));
  EXPECT_THAT(Contents<int32_t>(largest), ElementsAre(64 * 128 - 1));
  EXPECT_THAT(Contents<uint32_t>(out),
              ElementsAre(Bits(1.0f), F32ToF16(1), 0x00020001u, 8u, 31u, 3u, 0xBCu, 1u,
                          F32ToBF16(1), 8u, 65504u, Bits(1.0f / 3.0f)));
}

TEST(Vocabulary, Mathematics) {
  const std::vector<float> out = RunKernel<float>("mathematics", 16);
  const float x = 0.75f;
  const std::vector<float> expected = {std::exp(x),
                                       std::log(x),
                                       std::tanh(x),
                                       1 / std::sqrt(x),
                                       x * x * x,
                                       F16ToF32(F32ToF16(std::exp(1.0f))),
                                       x * x + 1,
                                       2 + 3,
                                       3,
                                       1.5f,
                                       2,
                                       8,
                                       std::sin(x),
                                       std::cos(x),
                                       1,
                                       3.14159265f};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(out[i], expected[i]) << i;
}

TEST(Vocabulary, MatrixLayout) {
  const std::vector<float> out = RunKernel<float>("matrix_layout", 64);
  // Pairs of columns: lanes 0, 1, 8 and 9 hold row 0, lanes 2, 3, 10 and 11 row 1.
  EXPECT_THAT(
      std::vector<float>(out.begin(), out.begin() + 16),
      ElementsAre(0, 0.5f, 1, 1.5f, 8, 8.5f, 9, 9.5f, 2, 2.5f, 3, 3.5f, 10, 10.5f, 11, 11.5f));
  EXPECT_EQ(out[63], 31.5f);
}

TEST(Vocabulary, MatrixProducts) {
  std::vector<float> in(128);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 5) - 2.0f;
  std::vector<float> expected(
      64);  // the product of the first with the second's transpose, + 2 first
  for (size_t r = 0; r < 8; ++r) {
    for (size_t c = 0; c < 8; ++c) {
      float sum = 2 * in[8 * r + c];
      for (size_t k = 0; k < 8; ++k) sum += in[8 * r + k] * in[64 + 8 * c + k];
      expected[8 * c + r] = sum;
    }
  }
  EXPECT_EQ(RunKernel<float>("matrix_product_f32", 64,
                             [&](MetalHarness& metal, int) { return metal.BufferOf(in); }),
            expected);
  std::vector<uint16_t> halves;
  for (const float value : in) halves.push_back(F32ToF16(value));
  const std::vector<uint16_t> out = RunKernel<uint16_t>(
      "matrix_product_f16", 64, [&](MetalHarness& metal, int) { return metal.BufferOf(halves); });
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(F16ToF32(out[i]), expected[i]);
}

TEST(Vocabulary, Positions) {
  const std::vector<uint32_t> out =
      RunKernel<uint32_t>("positions", 16 * 24 * 6 * 4, {}, MTL::Size(3, 2, 2), MTL::Size(8, 3, 2));
  const size_t x = 17, y = 4, z = 3;  // group (2, 1, 1), thread (1, 1, 1)
  const uint32_t* const mine = &out[16 * (x + 24 * (y + 6 * z))];
  EXPECT_THAT(std::vector<uint32_t>(mine, mine + 8),
              ElementsAre(112u, 1101u, 33u, 101u, 3202u, 2308u, 23u, 6024u));
}

}  // namespace
}  // namespace infer::emulation
