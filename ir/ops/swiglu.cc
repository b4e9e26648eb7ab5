// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfSwiglu[] = {{"gate"}, {"up"}};

absl::StatusOr<Types> InferSwiglu(const OpArgs& args) {
  if (!args.input(0).is_tensor(DType::kF32) || args.input(0) != args.input(1)) {
    return args.Error(StrCat("gate and up must be f32 of the same shape, found ",
                             ToString(args.input(0)), " and ", ToString(args.input(1))));
  }
  return Types{args.input(0)};
}

Cost CostOfSwiglu(const OpArgs& args) { return ElementwiseCost(args, 6); }

std::vector<Value> DecomposeSwiglu(GraphBuilder& b, const Node& node) {
  return {Mul(b, Silu(b, node.input(0)), node.input(1))};
}

}  // namespace

constinit const OpDef kSwiglu = {
    .name = "swiglu",
    .summary = "silu(gate) * up",
    .family = "silu",
    .inputs = kInputsOfSwiglu,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = InferSwiglu,
    .cost = CostOfSwiglu,
    .decompose = DecomposeSwiglu,
    .shard = ShardElementwise,
};

Value Swiglu(GraphBuilder& b, Value gate, Value up) { return b.EmitValue(kSwiglu, {gate, up}); }

}  // namespace infer::ops
