// SPDX-License-Identifier: Apache-2.0
//
// Where the operands of steps lie, before there is memory for a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "runtime/kernel.h"
#include "runtime/packed_weights.h"

namespace infer {

struct OperandPlace {
  enum class Kind : uint8_t { kBatch, kArena, kWeight, kState };
  Kind kind = Kind::kBatch;
  Device space = Device::kCpu;
  uint64_t offset = 0;     // kArena
  int32_t state = 0;       // kState
  TensorView tensor = {};  // type and dimensions that are no symbols; the address if kWeight
};

// Finds the places of the values of one planned graph. All that it is given must outlive it.
class OperandPlaces {
 public:
  OperandPlaces(const Graph& graph, const PackedWeights& weights);

  // Where a step that works in `space` finds it; `layout` is what the kernel that reads a weight
  // wants.
  absl::StatusOr<OperandPlace> Of(Value value, Device space,
                                  std::string_view layout = kGgufLayout) const;

 private:
  absl::Status CheckWeight(const Node& node, const WeightInfo* found) const;

  const PackedWeights& weights_;
  std::unordered_map<const Node*, int32_t> positions_;
  std::map<std::pair<ValueRef, Device>, uint64_t> offsets_;
};

}  // namespace infer
