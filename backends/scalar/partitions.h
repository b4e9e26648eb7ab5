// SPDX-License-Identifier: Apache-2.0
//
// How cpu kernels divide their work: the functions for KernelInfo::partition. They restate for the
// compiler what unit u of `units` means to `run`; tests compare the two.
#pragma once

#include "ir/graph/graph.h"
#include "ir/graph/partition.h"

namespace infer::partitions {

// Units are rows of the result: all axes but the last. A unit reads its own row of the inputs that
// have the result's type, and any part of the others (a vector along the row).
Partition Rows(const Node& node);
// The same, but a unit reads its own row of every input, regardless of row length.
Partition RowsOfAll(const Node& node);
// The same, but a unit reads its own row of input 0 and any part of the others.
Partition RowsOfFirst(const Node& node);
// The same, but a unit reads any rows: it gathers or transposes them.
Partition RowsFromAny(const Node& node);
// Units are rows of input 0, each of which produces one element of each result.
Partition InputRows(const Node& node);

// Units run along the first axis of the result: tokens with all their heads, or cache entries. A
// unit reads its own part of the inputs that the result is computed from.
Partition Tokens(const Node& node);
Partition TokensOfBoth(const Node& node);   // results 0 and 1 from inputs 0 and 1
Partition TokensFromAny(const Node& node);  // every result, from any part of the inputs
// Units run along the first axis of input 1; inputs 1 and 2 are written to a cache.
Partition TokensToCache(const Node& node);

// For attention_inputs: a unit is one head of the cache with the heads of q that read it, for one
// token.
Partition KvHeads(const Node& node);
// For attention: units depend on lengths, and parts of a result are merged after them.
Partition KvHeadsFromAny(const Node& node);

// Units are `granule` columns of the only result; inputs after x and the weight are also read by
// columns. With several results the columns are counted across them, and units do not own parts.
Partition Columns(const Node& node, int64_t granule);
// Units are `granule` elements of the result and of the inputs, which have the result's type.
Partition Tiles(const Node& node, int64_t granule);

}  // namespace infer::partitions
