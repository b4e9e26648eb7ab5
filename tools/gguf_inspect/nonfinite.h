// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/graph/dtype.h"

namespace infer {

// NaN and infinity among the values of a tensor, or among the scales of its blocks.
struct NonFinite {
  uint64_t count = 0;
  uint64_t first_index = 0;  // of the element, or of the block
  bool first_is_nan = false;
};

// Returns whether FindNonFinite supports the type.
bool CanScan(DType dtype);
// Returns "element" or "scale of block".
std::string_view ScannedUnit(DType dtype);
NonFinite FindNonFinite(DType dtype, std::span<const std::byte> data);

}  // namespace infer
