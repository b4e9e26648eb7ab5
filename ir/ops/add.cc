// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfAdd[] = {{"x"}, {"y"}};

Cost CostOfAdd(const OpArgs& args) { return ElementwiseCost(args, 1); }

}  // namespace

constinit const OpDef kAdd = {
    .name = "add",
    .summary = "x + y; y has the shape of x or is a vector along the last axis",
    .inputs = kInputsOfAdd,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = InferBroadcast,
    .cost = CostOfAdd,
    .shard = ShardElementwise,
};

Value Add(GraphBuilder& b, Value x, Value y) { return b.EmitValue(kAdd, {x, y}); }

}  // namespace infer::ops
