// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfAllReduce[] = {{"x"}};
// `reason` says why the value is needed here.
constexpr AttrSpec kAttrsOfAllReduce[] = {{"ranks", AttrKind::kInt},
                                          {"reason", AttrKind::kString, /*optional=*/true}};

absl::StatusOr<Types> InferAllReduce(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const int64_t ranks = args.attr<int64_t>(0);
  if (!x.is_tensor(DType::kF32)) return args.Error("x must be f32");
  if (ranks < 2 || ranks > kMaxRanks) {
    return args.Error(StrCat("ranks must be 2 to ", kMaxRanks, ", found ", ranks));
  }
  return Types{x};
}

// A rank receives the others' terms of its share of the elements, then their shares of the sum.
Cost CostOfAllReduce(const OpArgs& args) {
  const double ranks = static_cast<double>(args.attr<int64_t>(0));
  const SymbolicCount elements =
      CountElements(args.input(0).tensor.shape).value_or(SymbolicCount{});
  return {.flops = (ranks - 1) / ranks * elements,
          .bytes = 2 * (ranks - 1) / ranks * CountBytes(args.input(0))};
}

}  // namespace

constinit const OpDef kAllReduce = {
    .name = "all_reduce",
    .summary = "the sum of the terms of all ranks, added in the order of the ranks",
    .inputs = kInputsOfAllReduce,
    .attrs = kAttrsOfAllReduce,
    .traits = {.rowwise = true, .collective = true},
    .infer = InferAllReduce,
    .cost = CostOfAllReduce,
};

Value AllReduce(GraphBuilder& b, Value x, int64_t ranks, std::string reason) {
  return b.EmitValue(kAllReduce, {x}, {ranks, std::move(reason)});
}

int64_t AllReduceRanks(std::span<const Attr> attrs) { return std::get<int64_t>(attrs[0]); }

}  // namespace infer::ops
