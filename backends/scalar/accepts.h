// SPDX-License-Identifier: Apache-2.0
//
// What kernels that read plain rows accept. A kernel's `accepts` judges types; shapes were checked
// by the op's own rule.
#pragma once

#include "ir/base/decision.h"
#include "ir/graph/graph.h"

namespace infer::scalar {

// Every tensor input is f32, row numbers aside.
Decision AllF32(const Node& node);

// The input named `input` (a weight or a cache) is of type `dtype`, and the other tensors are f32.
Decision InputIs(const Node& node, int input, DType dtype);

template <int kInput, DType kType>
Decision InputIs(const Node& node) {
  return InputIs(node, kInput, kType);
}

}  // namespace infer::scalar
