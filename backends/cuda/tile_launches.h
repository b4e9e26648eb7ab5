// SPDX-License-Identifier: Apache-2.0
//
// Launches of products of rows that are converted to 16 bits first: by tiles (kernels/matmat.h), or
// of a few rows.
#pragma once

#include "backends/cuda/product.h"

namespace infer::cuda {

// Workspace: of rows in 16 bits with their factors, and of the partial sums of weights that have
// `blocks` blocks of kMatmatOutputs outputs together, in groups of any size.
uint64_t ConvertedRegion(int64_t tokens, int64_t columns);
uint64_t PartialBytes(int64_t tokens, int64_t columns, int64_t blocks);

// Adds products and residual; `few`: the product is one of few rows on tensor cores.
void AddMatmats(const Product& product, bool few, std::vector<Launch>& out);

}  // namespace infer::cuda
