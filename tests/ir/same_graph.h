// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "ir/graph/graph.h"

namespace infer {

// Returns whether both are missing, or equal.
template <class T>
bool SameValue(const T* a, const T* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

// Compares every field of two graphs through their accessors, not through their text.
void ExpectSameGraph(const Graph& a, const Graph& b);

}  // namespace infer
