// SPDX-License-Identifier: Apache-2.0
//
// Results of collectives are the same on all ranks, so ranks of one host can have one memory for
// them, into which each writes its part. A plan puts these results at the beginning of the cpu's
// arena, and nothing else: what only one rank writes must not lie where others write. No op works
// in place there, because every rank would.
//
// A rank that has left a collective knows that all ranks have reached it, and so have finished the
// steps before it. Memory that was last read before a collective may therefore be used again in the
// steps after that one; no rank has to wait for readers.
//
// A collective that joins the columns of all ranks has nothing to do but to wait if each has
// computed its columns in the place where all read them. So the memory of its result is in use from
// the step on that computes its input, if no other collective comes between them: ranks of
// different plans then still agree on the collective after which they write there. The same holds
// for a collective that shares rows, if each rank has computed its rows of the result there. A
// result that the collective rounds is in use from the collective on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/plan.h"

namespace infer {

// Returns whether the ranks may have the memory of the node's results in the space in common.
bool IsCommon(const Node& node, Device space);

// Returns the input of a collective whose part each rank may compute directly in result `i`: its
// columns or its rows. -1 if there is none, also where the collective rounds them.
int InputInPlace(const Node& node, int i);

// Returns whether a rank can compute some rows of the node's results by themselves, in the same
// bits: from the same rows of its inputs and from vectors.
bool CanShareRows(const Node& node);

// Returns the collective for which each rank computes a share of the node's rows; null if there is
// none.
const Node* RowSharerOf(const Node& node);

// Returns the size of that part of the cpu's arena; 0 if the plan has no collectives. `nodes` are
// those of the graph, by position.
uint64_t CommonBytes(const Plan& plan, std::span<Node* const> nodes);

// For each step, counted over all segments, returns the collective after which all ranks have
// finished it; the number of steps if there is none before the end of the call.
std::vector<int32_t> RankMeetings(const Plan& plan, std::span<Node* const> nodes);

}  // namespace infer
