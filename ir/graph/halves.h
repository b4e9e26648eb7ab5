// SPDX-License-Identifier: Apache-2.0
//
// Calls that run as two halves of their tokens, which take turns (Plan::halves): each half runs the
// segments in memory of its own. The second may read what the first has written to the cache, so
// in each segment the first half comes first.
#pragma once

#include <cstddef>
#include <string>

#include "ir/graph/graph.h"

namespace infer {

// Returns why calls of a scheduled graph may not run as two halves, or would then have other bits;
// empty if they may.
std::string WhyNotInHalves(const Graph& graph);

// Returns how many tokens of a sequence each half must have if both have some.
int64_t FewestTokensOfPart(const Graph& graph);

// Returns the number of the first segment from which on nothing is computed for tokens, but only
// for rows of logits: a half without such rows ends before it. The number of segments if there is
// none.
size_t FirstSegmentForRows(const Graph& graph);

}  // namespace infer
