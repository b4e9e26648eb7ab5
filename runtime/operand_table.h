// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "ir/program/weight_source.h"
#include "runtime/kernel.h"
#include "runtime/packed_weights.h"

namespace infer {

// Turns the values of one planned graph into operands. All that it is given must outlive it.
class OperandTable {
 public:
  OperandTable(const Graph& graph, std::byte* arena, const WeightSource& weights,
               const PackedWeights& packed, std::span<const KvView> states);

  // `layout` is what the kernel that reads a weight wants.
  absl::StatusOr<Operand> Make(Value value, std::string_view layout = kGgufLayout) const;

 private:
  absl::Status CheckWeight(const Node& node, const WeightInfo* found) const;

  std::byte* arena_;
  const WeightSource& weights_;
  const PackedWeights& packed_;
  std::span<const KvView> states_;
  std::unordered_map<const Node*, int32_t> positions_;
  std::map<ValueRef, uint64_t> offsets_;
};

}  // namespace infer
