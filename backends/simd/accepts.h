// SPDX-License-Identifier: Apache-2.0
//
// What the simd kernels accept beyond the types of plain rows (backends/scalar/accepts.h).
#pragma once

#include "ir/base/decision.h"
#include "ir/graph/graph.h"

namespace infer::simd {

// Heads that are rotated: their sines and cosines lie on the stack.
Decision RotatesHeads(const Node& node);

// The cache, input 0, is of type `dtype` with heads of whole blocks.
Decision CacheIs(const Node& node, DType dtype);

template <DType kType>
Decision CacheIs(const Node& node) {
  return CacheIs(node, kType);
}

template <DType kType>
Decision RotatesIntoCache(const Node& node) {
  Decision decision = CacheIs(node, kType);
  return decision.accepted() ? RotatesHeads(node) : decision;
}

}  // namespace infer::simd
