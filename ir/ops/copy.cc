// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfCopy[] = {{"x"}};

Cost CostOfCopy(const OpArgs& args) { return ElementwiseCost(args, 0); }

}  // namespace

constinit const OpDef kCopy = {
    .name = "copy",
    .summary = "a copy of x in its own memory",
    .inputs = kInputsOfCopy,
    .traits = {.rowwise = true},
    .infer = SameAsInput0,
    .cost = CostOfCopy,
};

Value Copy(GraphBuilder& b, Value x) { return b.EmitValue(kCopy, {x}); }

}  // namespace infer::ops
