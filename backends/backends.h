// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/kernel_registry.h"

namespace infer {

// Every back end that this build has and this machine can run.
std::unique_ptr<KernelRegistry> MakeKernelRegistry();

}  // namespace infer
