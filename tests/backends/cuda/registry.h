// SPDX-License-Identifier: Apache-2.0
//
// The target under test: on the stand-in for the driver, or on the card of this machine.
#pragma once

#include <memory>
#include <string>

#include "runtime/backend.h"
#include "runtime/kernel_registry.h"

namespace infer::cuda {

// The back end under test, and why it cannot be used. On a card INFER_TEST_CAPABILITY=8 takes the
// kernels of compute capability 8.0.
struct TestedBackend {
  std::unique_ptr<Backend> backend;
  std::string why_not;
};
TestedBackend& Cuda();

// A registry with the target; without it where Cuda() has no back end.
std::unique_ptr<KernelRegistry> RegistryWithCuda();
bool IsEmulated();

}  // namespace infer::cuda
