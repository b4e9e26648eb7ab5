// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfSliceColumns[] = {{"x"}};
constexpr AttrSpec kAttrsOfSliceColumns[] = {{"begin", AttrKind::kInt},
                                             {"columns", AttrKind::kInt}};

absl::StatusOr<Types> InferSliceColumns(const OpArgs& args) {
  const ValueType& x = args.input(0);
  int64_t begin = args.attr<int64_t>(0);
  int64_t columns = args.attr<int64_t>(1);
  if (!x.is_tensor(DType::kF32) || x.rank() != 2 || x.dim(1).is_symbol()) {
    return args.Error("x must be f32 of rank 2 with a fixed number of columns");
  }
  if (begin < 0 || columns < 1 || begin > x.dim(1).value() - columns) {
    return args.Error("columns must lie inside x");
  }
  return Types{ValueType::F32({x.dim(0), columns})};
}

Cost CostOfSliceColumns(const OpArgs& args) {
  absl::StatusOr<Types> result = InferSliceColumns(args);
  return {.flops = {}, .bytes = result.ok() ? 2 * CountBytes((*result)[0]) : SymbolicCount{}};
}

}  // namespace

constinit const OpDef kSliceColumns = {
    .name = "slice_columns",
    .summary = "columns begin to begin + columns of x",
    .inputs = kInputsOfSliceColumns,
    .attrs = kAttrsOfSliceColumns,
    .traits = {.rowwise = true},
    .infer = InferSliceColumns,
    .cost = CostOfSliceColumns,
};

int64_t SliceFirstColumn(std::span<const Attr> attrs) { return std::get<int64_t>(attrs[0]); }

Value SliceColumns(GraphBuilder& b, Value x, int64_t begin, int64_t columns) {
  return b.EmitValue(kSliceColumns, {x}, {begin, columns});
}

}  // namespace infer::ops
