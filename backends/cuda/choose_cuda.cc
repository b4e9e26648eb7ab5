// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/choose_cuda.h"

#ifdef INFER_HAS_CUDA
#include "backends/cuda/cuda_backend.h"
#endif

namespace infer::cuda {

CudaChoice ChooseCuda() {
#ifdef INFER_HAS_CUDA
  absl::StatusOr<const Driver*> driver = OpenDriver();
  if (!driver.ok()) return {nullptr, std::string(driver.status().message())};
  absl::StatusOr<std::shared_ptr<CudaDevice>> device = CudaDevice::Open(**driver);
  if (!device.ok()) return {nullptr, std::string(device.status().message())};
  return {MakeCudaBackend(*std::move(device), EmbeddedModules()), {}};
#else
  return {nullptr, INFER_WHY_NO_CUDA};
#endif
}

}  // namespace infer::cuda
