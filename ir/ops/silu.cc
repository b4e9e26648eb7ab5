// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfSilu[] = {{"x"}};

Cost CostOfSilu(const OpArgs& args) { return ElementwiseCost(args, 5); }

}  // namespace

constinit const OpDef kSilu = {
    .name = "silu",
    .summary = "x / (1 + exp(-x))",
    .inputs = kInputsOfSilu,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = SameAsInput0,
    .cost = CostOfSilu,
    .shard = ShardElementwise,
};

Value Silu(GraphBuilder& b, Value x) { return b.EmitValue(kSilu, {x}); }

}  // namespace infer::ops
