// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputs[] = {{"x"}, {"batch", TypeKind::kBatch}};
constexpr AttrSpec kAttrs[] = {
    {"base", AttrKind::kDouble},          {"freq_scale", AttrKind::kDouble},
    {"ext_factor", AttrKind::kDouble},    {"attn_factor", AttrKind::kDouble},
    {"beta_fast", AttrKind::kDouble},     {"beta_slow", AttrKind::kDouble},
    {"original_context", AttrKind::kInt},
};

absl::StatusOr<Types> Infer(const OpArgs& args) {
  const ValueType& x = args.input(0);
  if (!x.is_tensor(DType::kF32) || x.rank() != 3 || x.dim(0) != Dim(Symbol::kT) ||
      x.dim(2).is_symbol() || x.dim(2).value() % 2 != 0) {
    return args.Error("x must be f32[T,heads,head_dim] with an even head_dim");
  }
  RopeParams params = RopeParamsOf(args.attrs);
  if (!(params.base > 0) || !(params.freq_scale > 0)) {
    return args.Error("base and freq_scale must be positive");
  }
  if (params.ext_factor != 0 && params.original_context < 1) {
    return args.Error("scaling with ext_factor needs original_context");
  }
  // The correction range divides by log(base) and takes logarithms of the betas.
  if (params.ext_factor != 0 &&
      (!(params.base > 1) || !(params.beta_fast > 0) || !(params.beta_slow > 0))) {
    return args.Error("scaling with ext_factor needs a base above 1 and positive betas");
  }
  return Types{x};
}

Cost CostOfNode(const OpArgs& args) { return ElementwiseCost(args, 3); }

}  // namespace

constinit const OpDef kRope = {
    .name = "rope",
    .summary =
        "rotates each pair (i, i + head_dim/2) of a head by an angle that grows with position",
    .inputs = kInputs,
    .attrs = kAttrs,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = Infer,
    .cost = CostOfNode,
};

RopeParams RopeParamsOf(std::span<const Attr> attrs) {
  return {.base = std::get<double>(attrs[0]),
          .freq_scale = std::get<double>(attrs[1]),
          .ext_factor = std::get<double>(attrs[2]),
          .attn_factor = std::get<double>(attrs[3]),
          .beta_fast = std::get<double>(attrs[4]),
          .beta_slow = std::get<double>(attrs[5]),
          .original_context = std::get<int64_t>(attrs[6])};
}

Value Rope(GraphBuilder& b, Value x, Value batch, const RopeParams& params) {
  return b.EmitValue(kRope, {x, batch},
                     {params.base, params.freq_scale, params.ext_factor, params.attn_factor,
                      params.beta_fast, params.beta_slow, params.original_context});
}

}  // namespace infer::ops
