// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "runtime/backend.h"

namespace infer::cuda {

// The back end of this build and this machine, or why there is none.
struct CudaChoice {
  std::unique_ptr<Backend> backend;
  std::string why_not;
};
CudaChoice ChooseCuda();

}  // namespace infer::cuda
