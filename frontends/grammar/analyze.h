// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "frontends/grammar/grammar.h"

namespace infer {

// Whether each node can match any text at all. A value that must contain itself cannot. Adds the
// steps that this took, which are no more than there are children of nodes.
std::vector<bool> MatchableNodes(const Grammar& grammar, size_t* steps = nullptr);

// Prepares a grammar for a matcher: marks nullable nodes, and removes alternatives, properties and
// items that nothing can match, so that no accepted text leads to a dead end. Returns false if
// nothing matches the root.
bool FinishGrammar(Grammar* grammar);

// Returns a node that can call itself before anything is read, which would never end.
std::optional<GrammarNodeId> FindLeftRecursion(const Grammar& grammar);

}  // namespace infer
