// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfMul[] = {{"x"}, {"y"}};

Cost CostOfMul(const OpArgs& args) { return ElementwiseCost(args, 1); }

}  // namespace

constinit const OpDef kMul = {
    .name = "mul",
    .summary = "x * y; y has the shape of x or is a vector along the last axis",
    .inputs = kInputsOfMul,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = InferBroadcast,
    .cost = CostOfMul,
    .shard = ShardElementwise,
};

Value Mul(GraphBuilder& b, Value x, Value y) { return b.EmitValue(kMul, {x, y}); }

}  // namespace infer::ops
