// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/matmat.h"
#include "backends/cuda/kernels/matvec.h"

namespace infer::cuda {

INFER_MATVECS(q4_k, Type::kQ4K)
INFER_MATMATS(q4_k, Type::kQ4K)

}  // namespace infer::cuda
