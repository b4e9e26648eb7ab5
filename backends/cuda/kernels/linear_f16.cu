// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/few.h"
#include "backends/cuda/kernels/matmat.h"
#include "backends/cuda/kernels/matvec.h"
#include "backends/cuda/kernels/stream.h"

namespace infer::cuda {

INFER_STREAMS_OF_16(f16, Type::kF16)
INFER_STREAM(f16, Type::kF16, 4, 4)
INFER_MATVECS(f16, Type::kF16)
INFER_FEWS(f16, Type::kF16)
INFER_MATMATS(f16, Type::kF16)

}  // namespace infer::cuda
