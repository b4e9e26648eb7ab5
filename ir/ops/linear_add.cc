// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputs[] = {{"x"}, {"weight"}, {"residual"}};

absl::StatusOr<Types> Infer(const OpArgs& args) {
  ASSIGN_OR_RETURN(Types product, kLinear.infer({args.op, args.inputs.first(2), {}, {}}));
  if (args.input(2) != product[0]) {
    return args.Error(
        StrCat("residual is ", ToString(args.input(2)), ", the product ", ToString(product[0])));
  }
  return product;
}

Cost CostOfNode(const OpArgs& args) {
  SymbolicCount sums = CountElements(args.input(2).tensor.shape).value_or(SymbolicCount{});
  return {.flops = kLinear.cost({kLinear, args.inputs.first(2), {}, {}}).flops + sums,
          .bytes = IoBytes(args)};
}

std::vector<Value> Decompose(GraphBuilder& b, const Node& node) {
  return {Add(b, node.input(2), Linear(b, node.input(0), node.input(1)))};
}

}  // namespace

constinit const OpDef kLinearAdd = {
    .name = "linear_add",
    .summary = "residual plus x times the transposed weight",
    .family = "linear",
    .inputs = kInputs,
    .traits = {.rowwise = true, .in_place_input = 2},
    .infer = Infer,
    .cost = CostOfNode,
    .decompose = Decompose,
};

Value LinearAdd(GraphBuilder& b, Value x, Value weight, Value residual) {
  return b.EmitValue(kLinearAdd, {x, weight, residual});
}

}  // namespace infer::ops
