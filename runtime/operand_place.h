// SPDX-License-Identifier: Apache-2.0
//
// The locations of steps' operands, determined before a call has memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "ir/graph/plan_terms.h"
#include "runtime/kernel.h"
#include "runtime/packed_weights.h"

namespace infer {

struct OperandPlace {
  enum class Kind : uint8_t { kBatch, kArena, kWeight, kState };
  Kind kind = Kind::kBatch;
  Device space = Device::kCpu;
  uint64_t offset = 0;     // kArena
  int32_t state = 0;       // kState
  TensorView tensor = {};  // type and non-symbolic dimensions; the address if kWeight
};

// Locates the values of one planned graph. Everything passed to it must outlive it.
class OperandPlaces {
 public:
  OperandPlaces(const Graph& graph, const PackedWeights& weights, const KernelRegistry& registry);

  // Returns where a step that works in `space` finds `value`; `layout` is the layout that the
  // kernel expects if the value is a weight.
  absl::StatusOr<OperandPlace> Of(Value value, Device space,
                                  std::string_view layout = kGgufLayout) const;

 private:
  absl::Status CheckWeight(const Node& node, const WeightInfo* found) const;

  const PackedWeights& weights_;
  const KernelRegistry& registry_;
  std::unordered_map<const Node*, int32_t> positions_;
  std::map<std::pair<ValueRef, Device>, uint64_t> offsets_;
};

}  // namespace infer
