// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/matvec.h"

namespace infer::cuda {

INFER_MATVECS(f32, Type::kF32)

}  // namespace infer::cuda
