// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/ops/attributes.h"

namespace infer::scalar {

// Writes the columns and values of the k largest elements of a row, in descending order. Of equal
// ones the first comes first, so that every target chooses the same. A NaN counts as larger than
// every number, as in argmax.
void TopKOfRow(const float* x, int64_t columns, const ops::TopKParams& params, int32_t* ids,
               float* values);

}  // namespace infer::scalar
