// SPDX-License-Identifier: Apache-2.0
//
// How kernels of the cpu cut their work: what KernelInfo::partition is for them. What unit u of
// `units` is to `run` is said here a second time, for the compiler; tests compare the two.
#pragma once

#include "ir/graph/graph.h"
#include "ir/graph/partition.h"

namespace infer::partitions {

// Units are rows of the result: all axes but the last. A unit reads its own row of the inputs that
// have the result's type, and anything of others (a vector along the row).
Partition Rows(const Node& node);
// The same, where a unit reads its own row of every input, however long the rows are.
Partition RowsOfAll(const Node& node);
// The same, where a unit reads its own row of input 0 and anything of others.
Partition RowsOfFirst(const Node& node);
// The same, where a unit reads any rows: it gathers or transposes them.
Partition RowsFromAny(const Node& node);
// Units are rows of input 0, each of which gives one element of each result.
Partition InputRows(const Node& node);

// Units are the first axis of the result: tokens with all their heads, entries of a cache. A unit
// reads its own part of the inputs that the result is computed from.
Partition Tokens(const Node& node);
Partition TokensOfBoth(const Node& node);   // results 0 and 1 from inputs 0 and 1
Partition TokensFromAny(const Node& node);  // every result, from anything
// Units are the first axis of input 1; inputs 1 and 2 go to a cache.
Partition TokensToCache(const Node& node);

// Units are a head of the cache with the heads of q that read it, of one token: of
// attention_inputs.
Partition KvHeads(const Node& node);
// Units depend on lengths, and parts of a result are merged after them: of attention.
Partition KvHeadsFromAny(const Node& node);

// Units are `granule` columns of the one result; what follows x and the weight is read by columns,
// too. With several results the columns are counted through them, and no unit has own parts.
Partition Columns(const Node& node, int64_t granule);
// Units are `granule` elements of the result and of the inputs, which have its type.
Partition Tiles(const Node& node, int64_t granule);

}  // namespace infer::partitions
