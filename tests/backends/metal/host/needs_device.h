// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "backends/backends.h"
#include "backends/metal/choose_metal.h"
#include "runtime/kernel_registry.h"

namespace infer::test {

// Tests of whole models: where the back end cannot use the device (a virtual GPU of a CI runner),
// they are skipped and say why.
class NeedsDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    static const std::string why = [] {
      setenv(metal::kEmulationVariable, "1", 1);
      return MakeKernelRegistry()->WhyUnavailable(Target::kMetal);
    }();
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

}  // namespace infer::test
