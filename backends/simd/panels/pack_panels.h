// SPDX-License-Identifier: Apache-2.0
//
// Packs the rows of a weight into panels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/simd/panels/panel_format.h"
#include "ir/graph/dtype.h"

namespace infer::simd {

// For every weight type; see LinearKernel.
template <DType kType>
uint64_t PackedPanelBytes(int64_t outputs, int64_t inner);
template <DType kType, PanelOrder kOrder = PanelOrder::kFours>
void PackPanels(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin_panel,
                int64_t end_panel, std::byte* packed);

}  // namespace infer::simd
