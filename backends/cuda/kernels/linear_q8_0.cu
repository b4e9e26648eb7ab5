// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/few.h"
#include "backends/cuda/kernels/matmat.h"
#include "backends/cuda/kernels/matvec.h"
#include "backends/cuda/kernels/stream.h"

namespace infer::cuda {

INFER_STREAMS_OF_16(q8_0, Type::kQ8_0)
INFER_MATVECS(q8_0, Type::kQ8_0)
INFER_FEWS(q8_0, Type::kQ8_0)
INFER_MATMATS(q8_0, Type::kQ8_0)

}  // namespace infer::cuda
