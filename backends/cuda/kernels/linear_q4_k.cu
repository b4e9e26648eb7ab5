// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/few.h"
#include "backends/cuda/kernels/matmat.h"
#include "backends/cuda/kernels/matvec.h"
#include "backends/cuda/kernels/stream.h"

namespace infer::cuda {

INFER_STREAMS_OF_32(q4_k, Type::kQ4K)
INFER_MATVECS(q4_k, Type::kQ4K)
INFER_FEWS(q4_k, Type::kQ4K)
INFER_MATMATS(q4_k, Type::kQ4K)

}  // namespace infer::cuda
