// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/partitions.h"

namespace infer::partitions {
namespace {

SymbolicCount CountOf(Dim dim) {
  Shape shape = {dim};
  return CountElements(shape).value_or(SymbolicCount{});
}

// Returns the product of all axes but the last; the verifier has checked that it can be
// represented.
SymbolicCount RowsIn(const ValueType& type) {
  Shape rows;
  for (int axis = 0; axis + 1 < type.rank(); ++axis) rows.Append(type.dim(axis));
  return CountElements(rows).value_or(SymbolicCount{});
}

Partition Cut(PartitionDomain domain, const SymbolicCount& extent, std::vector<int32_t> own_inputs,
              std::vector<int32_t> own_results) {
  return {.domain = domain,
          .extent = extent,
          .granule = 1,
          .own_inputs = std::move(own_inputs),
          .own_results = std::move(own_results)};
}

// Every result that is a tensor.
std::vector<int32_t> AllResults(const Node& node) {
  std::vector<int32_t> results;
  for (int i = 0; i < node.num_results(); ++i) {
    if (node.result(i).type.is_tensor()) results.push_back(i);
  }
  return results;
}

std::vector<int32_t> InputsOfResultsType(const Node& node) {
  std::vector<int32_t> inputs;
  for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
    if (node.input(i).type() == node.result().type) inputs.push_back(i);
  }
  return inputs;
}

Partition ResultRows(const Node& node, std::vector<int32_t> own_inputs) {
  return Cut(PartitionDomain::kRows, RowsIn(node.result().type), std::move(own_inputs),
             AllResults(node));
}

Partition ResultTokens(const Node& node, std::vector<int32_t> own_inputs) {
  return Cut(PartitionDomain::kRows, CountOf(node.result().type.dim(0)), std::move(own_inputs),
             AllResults(node));
}

}  // namespace

Partition Rows(const Node& node) { return ResultRows(node, InputsOfResultsType(node)); }

Partition RowsOfAll(const Node& node) {
  std::vector<int32_t> all;
  for (size_t i = 0; i < node.inputs().size(); ++i) all.push_back(static_cast<int32_t>(i));
  return ResultRows(node, std::move(all));
}

Partition RowsOfFirst(const Node& node) { return ResultRows(node, {0}); }

Partition RowsFromAny(const Node& node) { return ResultRows(node, {}); }

Partition InputRows(const Node& node) {
  return Cut(PartitionDomain::kRows, RowsIn(node.input(0).type()), {0}, AllResults(node));
}

Partition Tokens(const Node& node) { return ResultTokens(node, InputsOfResultsType(node)); }

Partition TokensOfBoth(const Node& node) { return ResultTokens(node, {0, 1}); }

Partition TokensFromAny(const Node& node) { return ResultTokens(node, {}); }

Partition TokensToCache(const Node& node) {
  return Cut(PartitionDomain::kRows, CountOf(node.input(1).type().dim(0)), {1, 2}, {});
}

Partition KvHeads(const Node& node) {
  const double heads = static_cast<double>(node.input(0).type().dim(0).value());
  return Cut(PartitionDomain::kKvHeads, heads * CountOf(node.input(1).type().dim(0)), {1, 2, 3},
             AllResults(node));
}

Partition KvHeadsFromAny(const Node& node) {
  const double heads = static_cast<double>(node.input(1).type().dim(0).value());
  return Cut(PartitionDomain::kKvHeads, heads * CountOf(node.input(0).type().dim(0)), {}, {});
}

Partition Columns(const Node& node, int64_t granule) {
  Partition partition = {.domain = PartitionDomain::kColumns, .granule = granule};
  for (int i = 0; i < node.num_results(); ++i) {
    partition.extent += CountOf(node.result(i).type.dim(-1));
  }
  if (node.num_results() > 1) return partition;
  partition.own_results = {0};
  if (node.inputs().size() > 2) partition.own_inputs = {2};
  return partition;
}

Partition Tiles(const Node& node, int64_t granule) {
  return {.domain = PartitionDomain::kTiles,
          .extent = CountElements(node.result().type.tensor.shape).value_or(SymbolicCount{}),
          .granule = granule,
          .own_inputs = InputsOfResultsType(node),
          .own_results = {0}};
}

}  // namespace infer::partitions
