// SPDX-License-Identifier: Apache-2.0
//
// The device `cuda`.
#pragma once

#include <memory>
#include <span>

#include "backends/cuda/cuda_device.h"
#include "backends/cuda/cuda_modules.h"
#include "runtime/backend.h"

namespace infer::cuda {

// `emulated`: the driver is a stand-in that runs kernels on the CPU.
std::unique_ptr<Backend> MakeCudaBackend(std::shared_ptr<CudaDevice> device,
                                         std::span<const PtxModule> modules, bool emulated = false);

}  // namespace infer::cuda
