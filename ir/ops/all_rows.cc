// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfAllRows[] = {{"values", TypeKind::kTensor, /*variadic=*/true}};
// `reason` says why their rows are shared out, and why some stay rounded.
constexpr AttrSpec kAttrsOfAllRows[] = {{"ranks", AttrKind::kInt},
                                        {"reason", AttrKind::kString, /*optional=*/true},
                                        {"stays", AttrKind::kInts, /*optional=*/true}};
constexpr int kStaysOfRows = 2;

absl::StatusOr<Types> InferAllRows(const OpArgs& args) {
  const int64_t ranks = args.attr<int64_t>(0);
  if (ranks < 2 || ranks > kMaxRanks) {
    return args.Error(StrCat("ranks must be 2 to ", kMaxRanks, ", found ", ranks));
  }
  for (const ValueType& value : args.inputs) {
    if (!value.is_tensor(DType::kF32) || value.rank() < 2) {
      return args.Error(StrCat("values must be f32 with rows, found ", ToString(value)));
    }
    if (value.dim(0) != args.input(0).dim(0)) {
      return args.Error(StrCat("values must have the same rows, found ", ToString(args.input(0)),
                               " and ", ToString(value)));
    }
  }
  return TypesThatStay(args, kStaysOfRows, Types(args.inputs.begin(), args.inputs.end()));
}

// What a rank gets of the others' rows.
Cost CostOfAllRows(const OpArgs& args) {
  const double ranks = static_cast<double>(args.attr<int64_t>(0));
  SymbolicCount bytes;
  for (const ValueType& value : args.inputs) bytes += CountBytes(value);
  for (int64_t i : args.attr<std::vector<int64_t>>(kStaysOfRows)) {
    bytes += (kStayingForm.share() - 1) * CountBytes(args.inputs[static_cast<size_t>(i)]);
  }
  return {.flops = {}, .bytes = (ranks - 1) / ranks * bytes};
}

}  // namespace

constinit const OpDef kAllRows = {
    .name = "all_rows",
    .summary = "the values with all rows, of which each rank may have computed a share",
    .inputs = kInputsOfAllRows,
    .attrs = kAttrsOfAllRows,
    .num_results = OpDef::kSameAsVariadic,
    .traits = {.rowwise = true, .collective = true, .shares_rows = true},
    .infer = InferAllRows,
    .cost = CostOfAllRows,
};

Node* AllRows(GraphBuilder& b, std::vector<Value> values, int64_t ranks, std::string reason) {
  return b.Emit(kAllRows, std::move(values), {ranks, std::move(reason), std::vector<int64_t>()});
}

int64_t AllRowsRanks(std::span<const Attr> attrs) { return std::get<int64_t>(attrs[0]); }

}  // namespace infer::ops
