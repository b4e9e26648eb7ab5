// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

TEST(ScalarCopy, CopiesEveryBit) {
  std::vector<float> x = RandomFloats(3 * 5, 1);
  TestTensor in = F32Tensor({3, 5}, x);
  in.bytes[1] = in.bytes[2] = in.bytes[3] = std::byte{0xff};  // a NaN with bits of its own
  in.bytes[0] = std::byte{0x12};
  auto out = KernelHarness(ScalarKernels(), "copy_f32_scalar").In(in).Run();
  EXPECT_EQ(out[0].bytes, in.bytes);
}

}  // namespace
}  // namespace infer
