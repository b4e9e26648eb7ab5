// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarEmbed, TakesTheRowOfEachToken) {
  auto out = KernelHarness(ScalarKernels(), "embed_f32_scalar")
                 .In(F32Tensor({3, 2}, {1, 2, 3, 4, 5, 6}))
                 .In(I32Tensor({4}, {2, 0, 1, 2}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(5, 6, 1, 2, 3, 4, 5, 6));
}

TEST(ScalarEmbed, WidensHalves) {
  const std::vector<std::byte> bytes = {std::byte{0x00}, std::byte{0x3c},   // f16 1, bf16 0.0078125
                                        std::byte{0x80}, std::byte{0x3f}};  // f16 1.875, bf16 1
  for (std::string_view type : {"f16", "bf16"}) {
    const bool f16 = type == "f16";
    auto out = KernelHarness(ScalarKernels(), f16 ? "embed_f16_scalar" : "embed_bf16_scalar")
                   .In(RawTensor(f16 ? DType::kF16 : DType::kBF16, {2, 1}, bytes))
                   .In(I32Tensor({2}, {1, 0}))
                   .Run();
    EXPECT_THAT(out[0].floats(), f16 ? ElementsAre(1.875f, 1.0f) : ElementsAre(1.0f, 0.0078125f));
  }
}

TEST(ScalarEmbed, WidensQ8_0) {
  std::vector<std::byte> bytes(2 * 2 * 34);
  bytes[3 * 34 + 1] = std::byte{0x3c};  // row 1, block 1: scale 1
  bytes[3 * 34 + 2] = std::byte{0xff};
  bytes[3 * 34 + 33] = std::byte{0x7f};
  auto out = KernelHarness(ScalarKernels(), "embed_q8_0_scalar")
                 .In(RawTensor(DType::kQ8_0, {2, 64}, bytes))
                 .In(I32Tensor({1}, {1}))
                 .Run();
  std::vector<float> expected(64, 0.0f);
  expected[32] = -1;
  expected[63] = 127;
  EXPECT_EQ(out[0].floats(), expected);
}

}  // namespace
}  // namespace infer
