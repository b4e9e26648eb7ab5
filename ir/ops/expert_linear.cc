// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfExpertLinear[] = {{"x"}, {"weight"}, {"ids"}};

absl::StatusOr<Types> InferExpertLinear(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const ValueType& weight = args.input(1);
  const ValueType& ids = args.input(2);
  if (!x.is_tensor(DType::kF32) || (x.rank() != 2 && x.rank() != 3)) {
    return args.Error("x must be f32 of rank 2, or of rank 3 with a row for each expert used");
  }
  if (weight.rank() != 3) return args.Error("weight must have rank 3: experts, rows, columns");
  if (weight.dim(2) != x.dim(-1)) {
    return args.Error(
        StrCat("weight has ", ToString(weight.dim(2)), " columns, x has ", ToString(x.dim(-1))));
  }
  if (!ids.is_tensor(DType::kI32) || ids.rank() != 2 || ids.dim(0) != x.dim(0) ||
      ids.dim(1).is_symbol()) {
    return args.Error("ids must be i32 with a row for each row of x");
  }
  if (x.rank() == 3 && x.dim(1) != ids.dim(1)) {
    return args.Error(StrCat("x has ", ToString(x.dim(1)), " rows per token, ids name ",
                             ToString(ids.dim(1)), " experts"));
  }
  return Types{ValueType::F32({x.dim(0), ids.dim(1), weight.dim(1)})};
}

Cost CostOfExpertLinear(const OpArgs& args) {
  const ValueType& weight = args.input(1);
  Shape products = args.input(2).tensor.shape;
  products.Append(weight.dim(1));
  products.Append(weight.dim(2));
  return {.flops = 2 * CountElements(products).value_or(SymbolicCount{}),
          .bytes = ExpertIoBytes(args, 2)};
}

std::vector<ShardStrategy> ShardExpertLinear(const OpArgs& args) {
  const ValueType& weight = args.input(1);
  const int last = args.input(0).rank() - 1;
  const int64_t block = Info(weight.tensor.dtype).block_elements;
  return {{.inputs = {Sharding::Split(last), Sharding::Split(2), Sharding::Replicated()},
           .results = {Sharding::Partial()},
           .units = UnitsOfColumns(weight.dim(2).value(), block),
           .unit_name = "blocks of inner elements",
           .reason = "each rank has the columns of x that its part of the weight needs",
           .is_exact = false},
          {.inputs = {Sharding::Replicated(), Sharding::Split(1), Sharding::Replicated()},
           .results = {Sharding::Split(2)},
           .units = UnitsOfColumns(weight.dim(1).value()),
           .unit_name = "groups of 16 columns",
           .reason = "each column of every expert by itself"}};
}

}  // namespace

SymbolicCount ExpertIoBytes(const OpArgs& args, int ids) {
  SymbolicCount bytes = IoBytes(args);
  const double used = static_cast<double>(args.input(ids).dim(1).value());
  for (int i = 1; i < ids; ++i) {
    if (args.input(i).dim(0).is_symbol()) continue;
    const double whole = CountBytes(args.input(i)).c0;
    const double share = std::min(1.0, used / static_cast<double>(args.input(i).dim(0).value()));
    const double per_token = whole * (1 - share) / (kTokensUsingAllExperts - 1);
    bytes.c0 += whole * (share - 1) - per_token;
    bytes.ct += per_token;
  }
  return bytes;
}

constinit const OpDef kExpertLinear = {
    .name = "expert_linear",
    .summary = "x times the transposed matrices of the weight that ids name, a row for each",
    .inputs = kInputsOfExpertLinear,
    .traits = {.rowwise = true, .expert_input = 2, .product_input = 0},
    .infer = InferExpertLinear,
    .cost = CostOfExpertLinear,
    .shard = ShardExpertLinear,
};

Value ExpertLinear(GraphBuilder& b, Value x, Value weight, Value ids) {
  return b.EmitValue(kExpertLinear, {x, weight, ids});
}

}  // namespace infer::ops
