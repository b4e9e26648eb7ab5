// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/simd/isa/linear_kernel.h"
#include "ir/graph/dtype.h"

namespace infer::simd {

// The sets of products that a level may have.
enum class LinearKind : uint8_t {
  kTiles,      // for many rows
  kFast,       // the fastest for any number of rows
  kInvariant,  // bits do not depend on the number of tokens, where those of the fastest do
  kFloat,      // activations stay in f32
};

// Whether the chosen level has a product in tiles for weights of this type.
bool HasTiles(DType weight);

// Returns the product of the chosen level for weights of this type, or nullptr if it has none; of
// kTiles for a type without them, that of kFast, which may share a node with others. There must be
// a chosen level.
const LinearKernel* KernelFor(DType weight, LinearKind kind);

}  // namespace infer::simd
