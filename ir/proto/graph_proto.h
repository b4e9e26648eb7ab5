// SPDX-License-Identifier: Apache-2.0
//
// Converts graphs to and from their message. Only for ir/proto/serialize*.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "ir/graph/plan.h"
#include "ir/graph/target.h"
#include "ir/proto/graph.pb.h"

namespace infer {

// The remaining capacity of a file; counted down over all its graphs.
struct GraphLimits {
  int64_t nodes = int64_t{1} << 20;
  int64_t edges = int64_t{1} << 23;
};

// Requires a graph that the verifier has accepted.
void GraphToProto(const Graph& graph, proto::Graph* out);
// Checks everything that building the graph relies on, but not what the verifier checks.
absl::StatusOr<Graph> GraphFromProto(const proto::Graph& in, GraphLimits* limits);

void TypeToProto(const ValueType& type, proto::Type* out);
absl::StatusOr<ValueType> TypeFromProto(const proto::Type& in);

// Returns nullopt for text that ToString(Dim) would not produce.
std::optional<Dim> ParseDim(const std::string& text);

void SymbolsToProto(const SymbolRanges& symbols, proto::Symbols* out);
SymbolRanges SymbolsFromProto(const proto::Symbols& in);

void PlanToProto(const Plan& plan, const std::vector<uint64_t>& ids, proto::Plan* out);
// `positions` maps the id of a node to its position.
using NodePositions = std::unordered_map<uint64_t, int32_t>;
absl::StatusOr<Plan> PlanFromProto(const proto::Plan& in, const NodePositions& positions);

// The messages have the same enumerators in the same order, after an unspecified one at 0.
template <class Proto, class E>
Proto EnumToProto(E value) {
  return static_cast<Proto>(static_cast<int>(value) + 1);
}

// `last` is the last enumerator of E; `what` names the field in the error.
template <class E, class Proto>
absl::StatusOr<E> EnumFromProto(Proto value, E last, std::string_view what) {
  int number = static_cast<int>(value) - 1;
  if (number >= 0 && number <= static_cast<int>(last)) return static_cast<E>(number);
  return absl::InvalidArgumentError(std::string(what) + " has the unknown value " +
                                    std::to_string(static_cast<int>(value)));
}

inline absl::StatusOr<Device> DeviceFromProto(proto::Device device, std::string_view what) {
  return EnumFromProto(device, kAllDevices.back(), what);
}

}  // namespace infer
