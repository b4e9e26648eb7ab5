// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ir/program/program.h"

namespace infer {

// Returns the numerics class of a node that is placed, in a graph with these symbol ranges.
using NumericsOf = std::function<std::string(const Node& node, const SymbolRanges& symbols)>;

// Returns the class that was recorded when the node was placed.
std::string RecordedNumerics(const Node& node, const SymbolRanges& symbols);

// Returns the first node that does not give a row the same bits in all calls of up to `most_tokens`
// tokens: its kernels have different numerics classes in two regimes, or it has a kernel without a
// class. Null if there is no such node.
const Node* FindVaryingNode(const Program& program, int64_t most_tokens,
                            const NumericsOf& numerics_of = RecordedNumerics);

}  // namespace infer
