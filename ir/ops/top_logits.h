// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "ir/graph/graph.h"
#include "ir/ops/attributes.h"
#include "ir/ops/ops.h"

namespace infer {

// Whether the last two of a graph's results are the largest elements of each row of its first and
// their columns, as the pass select-candidates adds them for samplers.
inline bool EndWithLargest(std::span<const Value> results) {
  if (results.size() < 3) return false;
  const Node* top = results.back().node;
  return top->Is(ops::kTopK) && !ops::TopKOf(top->attrs()).normed && top->input(0) == results[0] &&
         results[results.size() - 2].node == top;
}

}  // namespace infer
