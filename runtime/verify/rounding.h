// SPDX-License-Identifier: Apache-2.0
//
// How far a value may deviate from another policy's, depending on the rounding in its computation.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/graph/graph.h"
#include "runtime/kernel_registry.h"

namespace infer {

// In ascending order of the deviation they allow. When two apply, the larger one counts.
enum class Rounding : uint8_t {
  kFloat,        // sums of floats in another order
  kCache,        // keys and values through f16 or bf16
  kQ8Cache,      // the same through q8_0
  kActivations,  // activations rounded to the precision of the weights
};
std::string_view Name(Rounding rounding);

// Returns the largest deviation that is not an error, relative to the largest element of a token's
// row. Deviations grow from layer to layer; these are for whole models, not for single kernels.
double ToleranceOf(Rounding rounding);

// Returns the rounding that a node adds to everything computed after it.
Rounding RoundingOf(const Node& node, const KernelRegistry& registry);

}  // namespace infer
