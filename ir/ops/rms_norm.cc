// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfRmsNorm[] = {{"x"}, {"weight"}};
constexpr AttrSpec kAttrsOfRmsNorm[] = {{"eps", AttrKind::kDouble}};

absl::StatusOr<Types> InferRmsNorm(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const ValueType& weight = args.input(1);
  if (!x.is_tensor(DType::kF32) || x.rank() < 2 || x.dim(-1).is_symbol()) {
    return args.Error("x must be f32 rows of a known length");
  }
  if (!weight.is_tensor(DType::kF32) || weight.rank() != 1 || weight.dim(0) != x.dim(-1)) {
    return args.Error("weight must be an f32 vector as long as the last axis of x");
  }
  return Types{x};
}

Cost CostOfRmsNorm(const OpArgs& args) { return ElementwiseCost(args, 4); }

std::vector<Value> DecomposeRmsNorm(GraphBuilder& b, const Node& node) {
  Value x = node.input(0);
  int64_t columns = x.type().dim(-1).value();
  Value mean = Scale(b, RowSumSquares(b, x), 1.0 / static_cast<double>(columns));
  Value inverse = Rsqrt(b, AddScalar(b, mean, RmsNormEps(node.attrs())));
  Value normed = Mul(b, x, BroadcastRows(b, inverse, columns));
  return {Mul(b, normed, node.input(1))};
}

}  // namespace

constinit const OpDef kRmsNorm = {
    .name = "rms_norm",
    .summary = "x / sqrt(mean(x*x over the last axis) + eps) * weight",
    .inputs = kInputsOfRmsNorm,
    .attrs = kAttrsOfRmsNorm,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = InferRmsNorm,
    .cost = CostOfRmsNorm,
    .decompose = DecomposeRmsNorm,
    .shard = ShardHeads,
};

double RmsNormEps(std::span<const Attr> attrs) { return std::get<double>(attrs[0]); }

Value RmsNorm(GraphBuilder& b, Value x, Value weight, double eps) {
  return b.EmitValue(kRmsNorm, {x, weight}, {eps});
}

}  // namespace infer::ops
