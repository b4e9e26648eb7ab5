// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfNormSwiglu[] = {{"x"}, {"norm"}, {"gate"}, {"up"}};
// The same as rms_norm's, so that RmsNormEps reads both.
constexpr AttrSpec kAttrsOfNormSwiglu[] = {{"eps", AttrKind::kDouble}};

absl::StatusOr<Types> InferNormSwiglu(const OpArgs& args) {
  ASSIGN_OR_RETURN(Types products, kNormLinear.infer(args));
  if (products[0] != products[1]) return args.Error("gate and up must have the same rows");
  return Types{products[0]};
}

Cost CostOfNormSwiglu(const OpArgs& args) {
  return {.flops = kNormLinear.cost({kNormLinear, args.inputs, args.attrs, {}}).flops,
          .bytes = IoBytes(args)};
}

std::vector<Value> DecomposeNormSwiglu(GraphBuilder& b, const Node& node) {
  Value normed = RmsNorm(b, node.input(0), node.input(1), RmsNormEps(node.attrs()));
  std::vector<Value> products = MultiLinear(b, normed, {node.input(2), node.input(3)});
  return {Swiglu(b, products[0], products[1])};
}

}  // namespace

constinit const OpDef kNormSwiglu = {
    .name = "norm_swiglu",
    .summary = "silu(x normed times gate) * (x normed times up)",
    .family = "linear",
    .inputs = kInputsOfNormSwiglu,
    .attrs = kAttrsOfNormSwiglu,
    .traits = {.rowwise = true},
    .infer = InferNormSwiglu,
    .cost = CostOfNormSwiglu,
    .decompose = DecomposeNormSwiglu,
};

}  // namespace infer::ops
