// SPDX-License-Identifier: Apache-2.0
//
// The layouts in which the products of the chosen level expect their weights.
#pragma once

#include <span>
#include <string_view>

#include "ir/graph/graph.h"
#include "runtime/backend.h"

namespace infer::simd {

// Returns the packed layouts of the chosen level.
std::span<const WeightLayout> WeightLayouts();

// Return the name of the layout in which an input of a product is read. A level that does not pack
// a type reads the file's rows under the same name.
std::string_view PackedLayout(const Node& node, int input);
// For LinearKind::kInvariant, which reads the weights of kFast, its own, or the file's rows.
std::string_view InvariantLayout(const Node& node, int input);

}  // namespace infer::simd
