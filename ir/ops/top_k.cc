// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfTopK[] = {{"x"}};
constexpr AttrSpec kAttrsOfTopK[] = {{"k", AttrKind::kInt}, {"normed", AttrKind::kBool}};

absl::StatusOr<Types> InferTopK(const OpArgs& args) {
  const ValueType& x = args.input(0);
  if (!x.is_tensor(DType::kF32) || x.rank() != 2 || x.dim(1).is_symbol()) {
    return args.Error("x must be f32 rows of a known length");
  }
  const int64_t k = args.attr<int64_t>(0);
  if (k < 1 || k > x.dim(1).value()) {
    return args.Error(StrCat("k must be 1 to ", x.dim(1).value(), ", the columns of x, found ", k));
  }
  return Types{ValueType::Tensor(DType::kI32, {x.dim(0), k}), ValueType::F32({x.dim(0), k})};
}

// A comparison per element, with the smallest that was taken so far: few are larger.
Cost CostOfTopK(const OpArgs& args) { return ElementwiseCost(args, 1); }

}  // namespace

constinit const OpDef kTopK = {
    .name = "top_k",
    .summary =
        "columns and values of the k largest elements of each row, divided by their sum if "
        "normed",
    .inputs = kInputsOfTopK,
    .attrs = kAttrsOfTopK,
    .num_results = 2,
    .traits = {.rowwise = true},
    .infer = InferTopK,
    .cost = CostOfTopK,
};

TopKParams TopKOf(std::span<const Attr> attrs) {
  return {.k = std::get<int64_t>(attrs[0]), .normed = std::get<bool>(attrs[1])};
}

std::pair<Value, Value> TopK(GraphBuilder& b, Value x, const TopKParams& params) {
  Node* node = b.Emit(kTopK, {x}, {params.k, params.normed});
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

}  // namespace infer::ops
