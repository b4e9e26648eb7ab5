// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "backends/metal/kernel_rows.h"

namespace infer::metal {

std::span<const MetalKernel> MetalKernels() {
  static const std::vector<MetalKernel> kernels = [] {
    std::vector<MetalKernel> all;
    for (std::span<const MetalKernel> table :
         {ElementwiseTable(), RowTable(), ColumnsTable(), GatherTable(), HeadTable(),
          EntriesTable(), AttentionTable(), LinearTable(), ExpertTable()}) {
      all.insert(all.end(), table.begin(), table.end());
    }
    return all;
  }();
  return kernels;
}

}  // namespace infer::metal
