// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/matvec.h"
#include "backends/cuda/kernels/stream.h"

namespace infer::cuda {

INFER_STREAMS_OF_16(f32, Type::kF32)
INFER_MATVECS(f32, Type::kF32)

}  // namespace infer::cuda
