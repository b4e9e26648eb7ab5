// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfAttnMask[] = {{"scores"}, {"batch", TypeKind::kBatch}};

absl::StatusOr<Types> InferAttnMask(const OpArgs& args) {
  const ValueType& scores = args.input(0);
  if (scores != ValueType::F32({Symbol::kT, Symbol::kS})) {
    return args.Error(StrCat("scores must be f32[T,S], one row for each token of the batch, found ",
                             ToString(scores)));
  }
  return Types{scores};
}

Cost CostOfAttnMask(const OpArgs& args) { return ElementwiseCost(args, 1); }

}  // namespace

constinit const OpDef kAttnMask = {
    .name = "attn_mask",
    .summary = "-inf where the cache entry is of another sequence or a later position",
    .inputs = kInputsOfAttnMask,
    .traits = {.in_place_input = 0},
    .infer = InferAttnMask,
    .cost = CostOfAttnMask,
};

Value AttnMask(GraphBuilder& b, Value scores, Value batch) {
  return b.EmitValue(kAttnMask, {scores, batch});
}

}  // namespace infer::ops
