// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfExpertSwiglu[] = {{"x"}, {"gate"}, {"up"}, {"ids"}};

absl::StatusOr<Types> InferExpertSwiglu(const OpArgs& args) {
  const Types gate = {args.input(0), args.input(1), args.input(3)};
  const Types up = {args.input(0), args.input(2), args.input(3)};
  ASSIGN_OR_RETURN(Types result, kExpertLinear.infer({args.op, gate, {}, {}}));
  RETURN_IF_ERROR(kExpertLinear.infer({args.op, up, {}, {}}).status());
  if (args.input(1).tensor.shape != args.input(2).tensor.shape) {
    return args.Error("gate and up must have the same shape");
  }
  return result;
}

Cost CostOfExpertSwiglu(const OpArgs& args) {
  const Types gate = {args.input(0), args.input(1), args.input(3)};
  return {.flops = 2 * kExpertLinear.cost({kExpertLinear, gate, {}, {}}).flops,
          .bytes = ExpertIoBytes(args, 3)};
}

std::vector<Value> DecomposeExpertSwiglu(GraphBuilder& b, const Node& node) {
  Value gate = ExpertLinear(b, node.input(0), node.input(1), node.input(3));
  Value up = ExpertLinear(b, node.input(0), node.input(2), node.input(3));
  return {Swiglu(b, gate, up)};
}

std::vector<ShardStrategy> ShardExpertSwiglu(const OpArgs& args) {
  return {{.inputs = {Sharding::Replicated(), Sharding::Split(1), Sharding::Split(1),
                      Sharding::Replicated()},
           .results = {Sharding::Split(2)},
           .units = UnitsOfColumns(args.input(1).dim(1).value()),
           .unit_name = "groups of 16 columns",
           .reason = "each column of every expert by itself"}};
}

}  // namespace

constinit const OpDef kExpertSwiglu = {
    .name = "expert_swiglu",
    .summary = "silu(x times gate) * (x times up) with the matrices that ids name",
    .family = "expert_linear",
    .inputs = kInputsOfExpertSwiglu,
    .traits = {.rowwise = true, .expert_input = 3, .product_input = 0},
    .infer = InferExpertSwiglu,
    .cost = CostOfExpertSwiglu,
    .decompose = DecomposeExpertSwiglu,
    .shard = ShardExpertSwiglu,
};

Value ExpertSwiglu(GraphBuilder& b, Value x, Value gate, Value up, Value ids) {
  return b.EmitValue(kExpertSwiglu, {x, gate, up, ids});
}

}  // namespace infer::ops
