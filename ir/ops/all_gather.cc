// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputs[] = {{"x"}};
// `reason` says why the value is needed here.
constexpr AttrSpec kAttrs[] = {{"axis", AttrKind::kInt},
                               {"ranks", AttrKind::kInt},
                               {"reason", AttrKind::kString, /*optional=*/true}};

absl::StatusOr<Types> Infer(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const int64_t axis = args.attr<int64_t>(0), ranks = args.attr<int64_t>(1);
  if (!x.is_tensor(DType::kF32)) return args.Error("x must be f32");
  if (ranks < 2 || ranks > kMaxRanks) {
    return args.Error(StrCat("ranks must be 2 to ", kMaxRanks, ", found ", ranks));
  }
  if (axis < 0 || axis >= x.rank() || x.dim(static_cast<int>(axis)).is_symbol() ||
      x.dim(static_cast<int>(axis)).value() > kMaxDim / ranks) {
    return args.Error(StrCat("cannot join ", ranks, " parts along axis ", axis));
  }
  ValueType whole = x;
  whole.tensor.shape.set_dim(static_cast<int>(axis), x.dim(static_cast<int>(axis)).value() * ranks);
  return Types{whole};
}

// What a rank receives from the others.
Cost CostOfNode(const OpArgs& args) {
  return {.flops = {},
          .bytes = static_cast<double>(args.attr<int64_t>(1) - 1) * CountBytes(args.input(0))};
}

}  // namespace

constinit const OpDef kAllGather = {
    .name = "all_gather",
    .summary = "the parts of all ranks along an axis, in the order of the ranks",
    .inputs = kInputs,
    .attrs = kAttrs,
    .traits = {.rowwise = true, .collective = true},
    .infer = Infer,
    .cost = CostOfNode,
};

Value AllGather(GraphBuilder& b, Value x, int64_t axis, int64_t ranks, std::string reason) {
  return b.EmitValue(kAllGather, {x}, {axis, ranks, std::move(reason)});
}

AllGatherParams AllGatherOf(std::span<const Attr> attrs) {
  return {std::get<int64_t>(attrs[0]), std::get<int64_t>(attrs[1])};
}

}  // namespace infer::ops
