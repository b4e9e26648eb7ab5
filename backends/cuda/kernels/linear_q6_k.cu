// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/few.h"
#include "backends/cuda/kernels/matmat.h"
#include "backends/cuda/kernels/matvec.h"
#include "backends/cuda/kernels/stream.h"

namespace infer::cuda {

INFER_STREAMS_OF_32(q6_k, Type::kQ6K)
INFER_MATVECS(q6_k, Type::kQ6K)
INFER_FEWS(q6_k, Type::kQ6K)
INFER_MATMATS(q6_k, Type::kQ6K)

}  // namespace infer::cuda
