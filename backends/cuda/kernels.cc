// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "backends/cuda/kernel_rows.h"

namespace infer::cuda {

std::span<const CudaKernel> CudaKernels() {
  static const std::vector<CudaKernel> kernels = [] {
    std::vector<CudaKernel> all;
    for (std::span<const CudaKernel> table :
         {RowTable(), TopKTable(), HeadTable(), AttentionTable(), LinearTable()}) {
      all.insert(all.end(), table.begin(), table.end());
    }
    return all;
  }();
  return kernels;
}

}  // namespace infer::cuda
