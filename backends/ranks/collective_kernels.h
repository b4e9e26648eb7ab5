// SPDX-License-Identifier: Apache-2.0
//
// The collectives as kernels. Unlike those of other devices they can fail, because another rank
// can.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "runtime/collective.h"
#include "runtime/kernel.h"

namespace infer {

struct CollectiveKernel {
  KernelInfo info;
  absl::Status (*run)(const KernelArgs& args, Collective& transport);
};

std::span<const CollectiveKernel> CollectiveKernels();

}  // namespace infer
