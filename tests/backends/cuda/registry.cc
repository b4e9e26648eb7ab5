// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/cuda/registry.h"

#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "backends/cuda/cuda_backend.h"
#ifdef INFER_TEST_EMULATION
#include "tests/cuda_emulation/stand_in_driver.h"
#endif

namespace infer::cuda {

#ifdef INFER_TEST_EMULATION
namespace {
std::unique_ptr<Backend> Emulated() {
  return MakeCudaBackend(*CudaDevice::Open(cuda_emulation::StandInDriver()),
                         cuda_emulation::StandInModules(), /*emulated=*/true);
}
}  // namespace

TestedBackend& Cuda() {
  static TestedBackend tested = {Emulated(), {}};
  return tested;
}

std::unique_ptr<KernelRegistry> RegistryWithCuda() {
  std::vector<std::unique_ptr<Backend>> more;
  more.push_back(Emulated());
  return MakeKernelRegistry(std::move(more));
}

bool IsEmulated() { return true; }
#else
TestedBackend& Cuda() {
  static TestedBackend tested = []() -> TestedBackend {
    absl::StatusOr<const Driver*> driver = OpenDriver();
    if (!driver.ok()) return {nullptr, std::string(driver.status().message())};
    const char* most = std::getenv("INFER_TEST_CAPABILITY");
    absl::StatusOr<std::shared_ptr<CudaDevice>> device = CudaDevice::Open(
        **driver, most == nullptr ? std::numeric_limits<int>::max() : std::atoi(most));
    if (!device.ok()) return {nullptr, std::string(device.status().message())};
    return {MakeCudaBackend(*std::move(device), EmbeddedModules()), {}};
  }();
  return tested;
}

std::unique_ptr<KernelRegistry> RegistryWithCuda() { return MakeKernelRegistry(); }

bool IsEmulated() { return false; }
#endif

}  // namespace infer::cuda
