// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfAddScalar[] = {{"x"}};
constexpr AttrSpec kAttrsOfAddScalar[] = {{"scalar", AttrKind::kDouble}};

Cost CostOfAddScalar(const OpArgs& args) { return ElementwiseCost(args, 1); }

}  // namespace

constinit const OpDef kAddScalar = {
    .name = "add_scalar",
    .summary = "x + scalar",
    .inputs = kInputsOfAddScalar,
    .attrs = kAttrsOfAddScalar,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = SameAsInput0,
    .cost = CostOfAddScalar,
    .shard = ShardElementwise,
};

double AddScalarValue(std::span<const Attr> attrs) { return std::get<double>(attrs[0]); }

Value AddScalar(GraphBuilder& b, Value x, double scalar) {
  return b.EmitValue(kAddScalar, {x}, {scalar});
}

}  // namespace infer::ops
