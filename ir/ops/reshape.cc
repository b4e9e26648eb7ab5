// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfReshape[] = {{"x"}};
constexpr AttrSpec kAttrsOfReshape[] = {{"dims", AttrKind::kInts}};

absl::StatusOr<Types> InferReshape(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const auto& dims = args.attr<std::vector<int64_t>>(0);
  if (!x.is_tensor(DType::kF32) || x.rank() < 1) return args.Error("x must be f32");
  if (dims.empty() || dims.size() > Shape::kMaxRank)
    return args.Error("dims must have 1 to 4 elements");
  Shape shape;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || (dims[i] == 0 && i != 0)) {
      return args.Error("dims must be positive; only the first may be 0, which keeps that of x");
    }
    shape.Append(dims[i] == 0 ? x.dim(0) : Dim(dims[i]));
  }
  if (CountElements(shape) != CountElements(x.tensor.shape)) {
    return args.Error("dims must give the same number of elements as x");
  }
  return Types{ValueType::F32(shape)};
}

void DivideDims(Node* node, int64_t ranks) {
  auto dims = node->attr<std::vector<int64_t>>(0);
  dims[1] /= ranks;
  node->set_attr(0, std::move(dims));
}

// Rows become heads or heads become rows; elements stay in their order, and so do the parts.
std::vector<ShardStrategy> ShardReshape(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const auto& dims = args.attr<std::vector<int64_t>>(0);
  if (dims[0] != 0 || x.rank() < 2 || dims.size() < 2 || x.dim(1).is_symbol()) return {};
  return {{.inputs = {Sharding::Split(1)},
           .results = {Sharding::Split(1)},
           .units = std::gcd(x.dim(1).value(), dims[1]),
           .unit_name = "heads",
           .reason = "elements keep their order",
           .divide_attrs = DivideDims}};
}

}  // namespace

constinit const OpDef kReshape = {
    .name = "reshape",
    .summary = "x with another shape; a first dimension of 0 keeps that of x",
    .inputs = kInputsOfReshape,
    .attrs = kAttrsOfReshape,
    .traits = {.view = true},
    .infer = InferReshape,
    .shard = ShardReshape,
};

Value Reshape(GraphBuilder& b, Value x, std::vector<int64_t> dims) {
  return b.EmitValue(kReshape, {x}, {std::move(dims)});
}

}  // namespace infer::ops
