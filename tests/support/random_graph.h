// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/graph/graph.h"
#include "ir/graph/shape.h"

namespace infer::testing {

// The ranges that random graphs are made for.
SymbolRanges RandomGraphSymbols();

// A valid graph at stage imported, the same for a seed on every machine: single ops of every kind
// in any order, and the blocks of a decoder in between, which fusions look for. Results are the
// logits of wanted rows and some other values; some nodes have no reader, some stand twice.
Graph RandomGraph(uint64_t seed);

}  // namespace infer::testing
