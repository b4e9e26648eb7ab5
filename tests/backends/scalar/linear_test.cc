// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TestTensor Weight(DType dtype, Shape shape, std::initializer_list<uint8_t> bytes) {
  std::vector<std::byte> data;
  for (uint8_t byte : bytes) data.push_back(std::byte{byte});
  return RawTensor(dtype, shape, std::move(data));
}

TEST(ScalarLinear, IsTheNearestFloat) {
  struct Dims {
    int64_t tokens, columns, rows;
  };
  for (Dims d : {Dims{1, 1, 1}, {1, 4096, 3}, {5, 9, 7}, {3, 1023, 2}}) {
    std::vector<float> x = RandomFloats(d.tokens * d.columns, 1);
    std::vector<float> w = RandomFloats(d.rows * d.columns, 2);
    auto out = KernelHarness(ScalarKernels(), "linear_f32_scalar")
                   .In(F32Tensor({d.tokens, d.columns}, x))
                   .In(F32Tensor({d.rows, d.columns}, w))
                   .Run();
    std::vector<float> found = out[0].floats();
    for (int64_t token = 0; token < d.tokens; ++token) {
      for (int64_t row = 0; row < d.rows; ++row) {
        long double sum = 0;
        for (int64_t i = 0; i < d.columns; ++i) {
          sum += static_cast<long double>(x[token * d.columns + i]) * w[row * d.columns + i];
        }
        EXPECT_FLOAT_EQ(found[token * d.rows + row], static_cast<float>(sum));
      }
    }
  }
}

TEST(ScalarLinear, ReadsF16) {
  // 1, 2, -0.5, 65504
  auto out = KernelHarness(ScalarKernels(), "linear_f16_scalar")
                 .In(F32Tensor({2, 2}, {1, 10, 0.5f, 1}))
                 .In(Weight(DType::kF16, {2, 2}, {0x00, 0x3c, 0x00, 0x40, 0x00, 0xb8, 0xff, 0x7b}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(21, 655039.5f, 2.5f, 65503.75f));
}

TEST(ScalarLinear, ReadsBF16) {
  // 1, -2.5
  auto out = KernelHarness(ScalarKernels(), "linear_bf16_scalar")
                 .In(F32Tensor({1, 2}, {3, 4}))
                 .In(Weight(DType::kBF16, {1, 2}, {0x80, 0x3f, 0x20, 0xc0}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(-7));
}

TEST(ScalarLinear, ReadsQ8_0) {
  // Two rows of one block: scale 0.5 with quants 0 to 31, scale 2 with quants -128, then zeros.
  std::vector<std::byte> bytes(68);
  bytes[1] = std::byte{0x38};
  for (int i = 0; i < 32; ++i) bytes[2 + i] = static_cast<std::byte>(i);
  bytes[35] = std::byte{0x40};
  bytes[36] = std::byte{0x80};
  auto out = KernelHarness(ScalarKernels(), "linear_q8_0_scalar")
                 .In(F32Tensor({1, 32}, std::vector<float>(32, 1.0f)))
                 .In(RawTensor(DType::kQ8_0, {2, 32}, bytes))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(248, -256));
}

TEST(ScalarLinear, SpreadsNanOverItsTokenOnly) {
  auto out = KernelHarness(ScalarKernels(), "linear_f32_scalar")
                 .In(F32Tensor({2, 2}, {NAN, 1, 1, 2}))
                 .In(F32Tensor({2, 2}, {0, 1, 3, INFINITY}))
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(::testing::IsNan(), ::testing::IsNan(), 2, INFINITY));
}

}  // namespace
}  // namespace infer
