// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "backends/test/test_backend.h"

namespace infer::test {

// Returns a registry with every back end of the build and the test device. If `backend` is given,
// it is set to the test device, which the registry owns.
inline std::unique_ptr<KernelRegistry> RegistryWithTestDevice(
    TestPace pace = TestPace::kEager, const TestBackend** backend = nullptr) {
  auto device = std::make_unique<TestBackend>(pace);
  if (backend != nullptr) *backend = device.get();
  std::vector<std::unique_ptr<Backend>> more;
  more.push_back(std::move(device));
  return MakeKernelRegistry(std::move(more));
}

}  // namespace infer::test
