// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfRsqrt[] = {{"x"}};

Cost CostOfRsqrt(const OpArgs& args) { return ElementwiseCost(args, 2); }

}  // namespace

constinit const OpDef kRsqrt = {
    .name = "rsqrt",
    .summary = "1 / sqrt(x)",
    .inputs = kInputsOfRsqrt,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = SameAsInput0,
    .cost = CostOfRsqrt,
};

Value Rsqrt(GraphBuilder& b, Value x) { return b.EmitValue(kRsqrt, {x}); }

}  // namespace infer::ops
