// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/few.h"
#include "backends/cuda/kernels/matmat.h"
#include "backends/cuda/kernels/matvec.h"
#include "backends/cuda/kernels/stream.h"

namespace infer::cuda {

INFER_STREAMS_OF_32(q5_k, Type::kQ5K)
INFER_MATVECS(q5_k, Type::kQ5K)
INFER_FEWS(q5_k, Type::kQ5K)
INFER_MATMATS(q5_k, Type::kQ5K)

}  // namespace infer::cuda
