// SPDX-License-Identifier: Apache-2.0
//
// `accepts` functions for kernels that read plain rows. They judge types; shapes were checked by
// the op's own rule.
#pragma once

#include "ir/base/decision.h"
#include "ir/graph/graph.h"

namespace infer::scalar {

// Accepts if every tensor input is f32, except row indices.
Decision AllF32(const Node& node);

// Accepts if `input` (a weight or a cache) is of type `dtype` and the other tensors are f32.
Decision InputIs(const Node& node, int input, DType dtype);

template <int kInput, DType kType>
Decision InputIs(const Node& node) {
  return InputIs(node, kInput, kType);
}

}  // namespace infer::scalar
