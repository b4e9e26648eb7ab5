// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfSoftmax[] = {{"x"}};

Cost CostOfSoftmax(const OpArgs& args) { return ElementwiseCost(args, 5); }

}  // namespace

constinit const OpDef kSoftmax = {
    .name = "softmax",
    .summary = "exp(x - max) divided by its sum, over the last axis",
    .inputs = kInputsOfSoftmax,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = SameAsInput0,
    .cost = CostOfSoftmax,
};

Value Softmax(GraphBuilder& b, Value x) { return b.EmitValue(kSoftmax, {x}); }

}  // namespace infer::ops
