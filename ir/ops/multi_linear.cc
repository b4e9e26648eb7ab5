// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "ir/base/status_macros.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfMultiLinear[] = {{"x"},
                                              {"weights", TypeKind::kTensor, /*variadic=*/true}};

// Returns the inputs of the part with weight `i`.
Types PartOf(const OpArgs& args, size_t i) { return {args.input(0), args.inputs[1 + i]}; }

absl::StatusOr<Types> InferMultiLinear(const OpArgs& args) {
  Types results;
  for (size_t i = 0; i + 1 < args.inputs.size(); ++i) {
    Types part = PartOf(args, i);
    ASSIGN_OR_RETURN(Types result, kLinear.infer({args.op, part, {}, {}}));
    results.push_back(result[0]);
  }
  return results;
}

// x is read once for all parts.
Cost CostOfMultiLinear(const OpArgs& args) {
  Cost cost{.flops = {}, .bytes = IoBytes(args)};
  for (size_t i = 0; i + 1 < args.inputs.size(); ++i) {
    Types part = PartOf(args, i);
    cost.flops += kLinear.cost({kLinear, part, {}, {}}).flops;
  }
  return cost;
}

std::vector<Value> DecomposeMultiLinear(GraphBuilder& b, const Node& node) {
  std::vector<Value> results;
  for (Value weight : node.inputs().subspan(1)) results.push_back(Linear(b, node.input(0), weight));
  return results;
}

std::vector<ShardStrategy> ShardMultiLinear(const OpArgs& args) {
  ShardStrategy columns{.inputs = {Sharding::Replicated()},
                        .results = {},
                        .units = 0,
                        .unit_name = "groups of 16 columns",
                        .reason = "each column by itself"};
  for (const ValueType& weight : args.inputs.subspan(1)) {
    if (weight.dim(0).is_symbol()) return {};
    columns.inputs.push_back(Sharding::Split(0));
    columns.results.push_back(Sharding::Split(1));
    columns.units = std::gcd(columns.units, UnitsOfColumns(weight.dim(0).value()));
  }
  return {columns};
}

}  // namespace

constinit const OpDef kMultiLinear = {
    .name = "multi_linear",
    .summary = "x times each transposed weight; the weights may differ in type and rows",
    .family = "linear",
    .inputs = kInputsOfMultiLinear,
    .num_results = OpDef::kSameAsVariadic,
    .traits = {.rowwise = true, .product_input = 0},
    .infer = InferMultiLinear,
    .cost = CostOfMultiLinear,
    .decompose = DecomposeMultiLinear,
    .shard = ShardMultiLinear,
};

std::vector<Value> MultiLinear(GraphBuilder& b, Value x, const std::vector<Value>& weights) {
  std::vector<Value> inputs = {x};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  Node* node = b.Emit(kMultiLinear, std::move(inputs));
  std::vector<Value> results(weights.size());
  for (size_t i = 0; node != nullptr && i < results.size(); ++i) {
    results[i] = node->output(static_cast<int>(i));
  }
  return results;
}

}  // namespace infer::ops
