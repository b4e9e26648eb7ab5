// SPDX-License-Identifier: Apache-2.0
//
// `accepts` functions of the simd kernels beyond those for plain rows (backends/scalar/accepts.h).
#pragma once

#include "ir/base/decision.h"
#include "ir/graph/graph.h"

namespace infer::simd {

// Limits the size of rotated heads: their sines and cosines are on the stack.
Decision RotatesHeads(const Node& node);

// Accepts if the cache, input 0, is of type `dtype` with heads of whole blocks.
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
