// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/renamed_kernels.h"

#include <gtest/gtest.h>

#include "ir/ops/ops.h"

namespace infer {
namespace {

void DoNothing(const KernelArgs&, int64_t, int64_t) {}

TEST(RenamedKernels, ChangesTargetAndNameAlone) {
  const CpuKernel table[] = {
      {.info = {.name = "silu_f32_simd", .op = &ops::kSilu, .target = Target::kSimd, .accepts = {}},
       .run = DoNothing}};
  const RenamedKernels renamed(table, Target::kParallel);
  ASSERT_EQ(renamed.kernels().size(), 1u);
  const CpuKernel& kernel = renamed.kernels()[0];
  EXPECT_EQ(kernel.info.name, "silu_f32_parallel");
  EXPECT_EQ(kernel.info.target, Target::kParallel);
  EXPECT_EQ(kernel.info.op, &ops::kSilu);
  EXPECT_EQ(kernel.run, DoNothing);
  EXPECT_EQ(table[0].info.name, "silu_f32_simd");
}

}  // namespace
}  // namespace infer
