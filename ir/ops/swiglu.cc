// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputs[] = {{"gate"}, {"up"}};

absl::StatusOr<Types> Infer(const OpArgs& args) {
  if (!args.input(0).is_tensor(DType::kF32) || args.input(0) != args.input(1)) {
    return args.Error(StrCat("gate and up must be f32 of the same shape, found ",
                             ToString(args.input(0)), " and ", ToString(args.input(1))));
  }
  return Types{args.input(0)};
}

Cost CostOfNode(const OpArgs& args) { return ElementwiseCost(args, 6); }

std::vector<Value> Decompose(GraphBuilder& b, const Node& node) {
  return {Mul(b, Silu(b, node.input(0)), node.input(1))};
}

}  // namespace

constinit const OpDef kSwiglu = {
    .name = "swiglu",
    .summary = "silu(gate) * up",
    .family = "silu",
    .inputs = kInputs,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = Infer,
    .cost = CostOfNode,
    .decompose = Decompose,
    .shard = ShardElementwise,
};

Value Swiglu(GraphBuilder& b, Value gate, Value up) { return b.EmitValue(kSwiglu, {gate, up}); }

}  // namespace infer::ops
