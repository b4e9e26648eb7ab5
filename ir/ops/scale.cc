// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfScale[] = {{"x"}};
constexpr AttrSpec kAttrsOfScale[] = {{"factor", AttrKind::kDouble}};

Cost CostOfScale(const OpArgs& args) { return ElementwiseCost(args, 1); }

}  // namespace

constinit const OpDef kScale = {
    .name = "scale",
    .summary = "x * factor",
    .inputs = kInputsOfScale,
    .attrs = kAttrsOfScale,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = SameAsInput0,
    .cost = CostOfScale,
    .shard = ShardElementwise,
};

double ScaleFactor(std::span<const Attr> attrs) { return std::get<double>(attrs[0]); }

Value Scale(GraphBuilder& b, Value x, double factor) { return b.EmitValue(kScale, {x}, {factor}); }

}  // namespace infer::ops
