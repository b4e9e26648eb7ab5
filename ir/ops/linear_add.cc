// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfLinearAdd[] = {{"x"}, {"weight"}, {"residual"}};

Types ProductOf(const OpArgs& args) { return {args.input(0), args.input(1)}; }

absl::StatusOr<Types> InferLinearAdd(const OpArgs& args) {
  const Types product = ProductOf(args);
  ASSIGN_OR_RETURN(Types result, kLinear.infer({args.op, product, {}, {}}));
  if (args.input(2) != result[0]) {
    return args.Error(StrCat("residual must have the type of the product, ", ToString(result[0]),
                             ", found ", ToString(args.input(2))));
  }
  return result;
}

Cost CostOfLinearAdd(const OpArgs& args) {
  const Types product = ProductOf(args);
  return {.flops = kLinear.cost({kLinear, product, {}, {}}).flops, .bytes = IoBytes(args)};
}

std::vector<Value> DecomposeLinearAdd(GraphBuilder& b, const Node& node) {
  return {Add(b, node.input(2), Linear(b, node.input(0), node.input(1)))};
}

}  // namespace

constinit const OpDef kLinearAdd = {
    .name = "linear_add",
    .summary = "residual + x times the transposed weight",
    .family = "linear",
    .inputs = kInputsOfLinearAdd,
    .traits = {.rowwise = true, .in_place_input = 2, .product_input = 0},
    .infer = InferLinearAdd,
    .cost = CostOfLinearAdd,
    .decompose = DecomposeLinearAdd,
};

}  // namespace infer::ops
