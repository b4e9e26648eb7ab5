// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/rope_attrs.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfRope[] = {{"x"}, {"batch", TypeKind::kBatch}};

absl::StatusOr<Types> InferRope(const OpArgs& args) {
  const ValueType& x = args.input(0);
  if (!x.is_tensor(DType::kF32) || x.rank() != 3 || x.dim(0) != Dim(Symbol::kT) ||
      x.dim(2).is_symbol() || x.dim(2).value() % 2 != 0) {
    return args.Error("x must be f32[T,heads,head_dim] with an even head_dim");
  }
  RETURN_IF_ERROR(CheckRope(args, RopeParamsOf(args.attrs), x.dim(2).value()));
  return Types{x};
}

Cost CostOfRope(const OpArgs& args) { return ElementwiseCost(args, 3); }

}  // namespace

constinit const OpDef kRope = {
    .name = "rope",
    .summary =
        "rotates each pair (i, i + head_dim/2), or (2i, 2i + 1) if adjacent, of a head by an angle "
        "that grows with position",
    .inputs = kInputsOfRope,
    .attrs = kRopeAttrs,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = InferRope,
    .cost = CostOfRope,
    .shard = ShardHeads,
};

bool RopeParams::operator==(const RopeParams& other) const {
  auto numbers = [](const RopeParams& p) {
    return std::tie(p.base, p.freq_scale, p.ext_factor, p.attn_factor, p.beta_fast, p.beta_slow,
                    p.original_context, p.adjacent);
  };
  return numbers(*this) == numbers(other) && std::ranges::equal(factors, other.factors);
}

RopeParams RopeParamsOf(std::span<const Attr> attrs) {
  return {.base = std::get<double>(attrs[0]),
          .freq_scale = std::get<double>(attrs[1]),
          .ext_factor = std::get<double>(attrs[2]),
          .attn_factor = std::get<double>(attrs[3]),
          .beta_fast = std::get<double>(attrs[4]),
          .beta_slow = std::get<double>(attrs[5]),
          .original_context = std::get<int64_t>(attrs[6]),
          .adjacent = std::get<bool>(attrs[7]),
          .factors = std::get<std::vector<double>>(attrs[8])};
}

NormRopeParams NormRopeOf(std::span<const Attr> attrs) {
  return {.eps = std::get<double>(attrs[0]), .rope = RopeParamsOf(attrs.subspan(1))};
}

std::vector<Attr> AttrsOf(const RopeParams& params) {
  return {params.base,
          params.freq_scale,
          params.ext_factor,
          params.attn_factor,
          params.beta_fast,
          params.beta_slow,
          params.original_context,
          params.adjacent,
          std::vector<double>(params.factors.begin(), params.factors.end())};
}

std::vector<Attr> NormRopeAttrs(double eps, const RopeParams& params) {
  std::vector<Attr> attrs = AttrsOf(params);
  attrs.insert(attrs.begin(), eps);
  return attrs;
}

absl::Status CheckRope(const OpArgs& args, const RopeParams& params, int64_t head_dim) {
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
  if (!params.factors.empty() && std::ssize(params.factors) != head_dim / 2) {
    return args.Error(StrCat("has ", params.factors.size(), " factors, expected one for each of ",
                             head_dim / 2, " pairs"));
  }
  for (double factor : params.factors) {
    if (!(factor > 0) || !std::isfinite(factor)) {
      return args.Error("factors must be positive and finite");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ValueType> InferHeads(const OpArgs& args, std::string_view name,
                                     const ValueType& rows, const ValueType& norm) {
  if (!norm.is_tensor(DType::kF32) || norm.rank() != 1 || norm.dim(0).is_symbol() ||
      norm.dim(0).value() % 2 != 0) {
    return args.Error(StrCat(name, "_norm must be f32[head_dim] with an even head_dim"));
  }
  int64_t head_dim = norm.dim(0).value();
  if (!rows.is_tensor(DType::kF32) || rows.rank() != 2 || rows.dim(0) != Dim(Symbol::kT) ||
      rows.dim(1).is_symbol() || rows.dim(1).value() % head_dim != 0) {
    return args.Error(
        StrCat(name, " must be f32[T,heads * ", head_dim, "], found ", ToString(rows)));
  }
  return ValueType::F32({rows.dim(0), rows.dim(1).value() / head_dim, head_dim});
}

Value Rope(GraphBuilder& b, Value x, Value batch, const RopeParams& params) {
  return b.EmitValue(kRope, {x, batch}, AttrsOf(params));
}

}  // namespace infer::ops
