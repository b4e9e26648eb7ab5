// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernels/few.h"
#include "backends/cuda/kernels/matmat.h"
#include "backends/cuda/kernels/matvec.h"
#include "backends/cuda/kernels/stream.h"

namespace infer::cuda {

INFER_STREAMS_OF_16(bf16, Type::kBf16)
INFER_MATVECS(bf16, Type::kBf16)
INFER_FEWS(bf16, Type::kBf16)
INFER_MATMATS(bf16, Type::kBf16)

}  // namespace infer::cuda
