// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfNormLinear[] = {
    {"x"}, {"norm"}, {"weights", TypeKind::kTensor, /*variadic=*/true}};
// The same as rms_norm's, so that RmsNormEps reads both.
constexpr AttrSpec kAttrsOfNormLinear[] = {{"eps", AttrKind::kDouble}};

// The inputs of the products, which see x normed.
Types ProductsOf(const OpArgs& args) {
  Types products = {args.input(0)};
  products.insert(products.end(), args.inputs.begin() + 2, args.inputs.end());
  return products;
}

absl::StatusOr<Types> InferNormLinear(const OpArgs& args) {
  const Types norm = {args.input(0), args.input(1)};
  RETURN_IF_ERROR(kRmsNorm.infer({args.op, norm, args.attrs, {}}).status());
  const Types products = ProductsOf(args);
  return kMultiLinear.infer({args.op, products, {}, {}});
}

Cost CostOfNormLinear(const OpArgs& args) {
  const Types norm = {args.input(0), args.input(1)};
  const Types products = ProductsOf(args);
  return {.flops = kRmsNorm.cost({kRmsNorm, norm, args.attrs, {}}).flops +
                   kMultiLinear.cost({kMultiLinear, products, {}, {}}).flops,
          .bytes = IoBytes(args)};
}

std::vector<Value> DecomposeNormLinear(GraphBuilder& b, const Node& node) {
  Value normed = RmsNorm(b, node.input(0), node.input(1), RmsNormEps(node.attrs()));
  std::span<const Value> weights = node.inputs().subspan(2);
  if (weights.size() == 1) return {Linear(b, normed, weights[0])};
  return MultiLinear(b, normed, {weights.begin(), weights.end()});
}

}  // namespace

constinit const OpDef kNormLinear = {
    .name = "norm_linear",
    .summary = "x normed as rms_norm does, times each transposed weight",
    .family = "linear",
    .inputs = kInputsOfNormLinear,
    .attrs = kAttrsOfNormLinear,
    .num_results = OpDef::kSameAsVariadic,
    .traits = {.rowwise = true},
    .infer = InferNormLinear,
    .cost = CostOfNormLinear,
    .decompose = DecomposeNormLinear,
};

}  // namespace infer::ops
