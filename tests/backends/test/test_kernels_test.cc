// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_kernels.h"

#include <gtest/gtest.h>

#include <string>

#include "backends/scalar/kernels.h"

namespace infer {
namespace {

TEST(TestKernels, AreThoseOfScalarUnderTheirOwnNames) {
  ASSERT_EQ(TestKernels().size(), ScalarKernels().size());
  for (size_t i = 0; i < TestKernels().size(); ++i) {
    const CpuKernel& scalar = ScalarKernels()[i];
    const CpuKernel& test = TestKernels()[i];
    std::string name(scalar.info.name);
    name.replace(name.rfind("scalar"), std::string::npos, "test");
    EXPECT_EQ(test.info.name, name);
    EXPECT_EQ(test.info.target, Target::kTest);
    EXPECT_EQ(test.run, scalar.run);
  }
}

}  // namespace
}  // namespace infer
