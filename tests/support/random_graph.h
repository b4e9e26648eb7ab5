// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/graph/graph.h"
#include "ir/graph/shape.h"

namespace infer::test {

// Returns the symbol ranges that random graphs are made for.
SymbolRanges RandomGraphSymbols();

// Returns a valid graph at stage imported; the same seed gives the same graph on every machine. It
// mixes single ops of every kind in any order with the decoder blocks that fusions look for.
// Results are the logits of wanted rows and some other values; some nodes have no reader, some
// occur twice.
Graph RandomGraph(uint64_t seed);

}  // namespace infer::test
