// SPDX-License-Identifier: Apache-2.0
//
// Launches of products of a few rows of x: on tensor cores (kernels/few.h), or without them and
// with the bits of one row (kernels/matvec.h).
#pragma once

#include <span>

#include "backends/cuda/product.h"

namespace infer::cuda {

// Whether the product is one of few rows on tensor cores.
bool IsFew(const Product& product, const Batch& batch);

// Adds a product without tensor cores for the weights `group`, all of `type`.
void AddMatvec(const WeightType& type, const Product& product, std::span<const int> group,
               const PrepareArgs& prepared, std::vector<Launch>& out);

// Adds a product on tensor cores of rows of x in int8 or 16 bits, each with its factor.
void AddFew(const WeightType& type, const Product& product, std::span<const int> group,
            unsigned char* rows, const float* factors, std::vector<Launch>& out);

// Adds norm, products and residual; without tensor cores with the bits of AddStreams.
void AddMatvecs(const Product& product, bool tensor_cores, std::vector<Launch>& out);

}  // namespace infer::cuda
