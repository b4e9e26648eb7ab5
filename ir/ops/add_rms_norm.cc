// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfAddRmsNorm[] = {{"x"}, {"y"}, {"weight"}};
// The same as rms_norm's, so that RmsNormEps reads both.
constexpr AttrSpec kAttrsOfAddRmsNorm[] = {{"eps", AttrKind::kDouble}};

absl::StatusOr<Types> InferAddRmsNorm(const OpArgs& args) {
  if (args.input(0) != args.input(1)) {
    return args.Error(StrCat("x and y must have the same type, found ", ToString(args.input(0)),
                             " and ", ToString(args.input(1))));
  }
  Types norm = {args.input(0), args.input(2)};
  ASSIGN_OR_RETURN(Types normed, kRmsNorm.infer({args.op, norm, args.attrs, {}}));
  return Types{args.input(0), normed[0]};
}

Cost CostOfAddRmsNorm(const OpArgs& args) { return ElementwiseCost(args, 5); }

std::vector<Value> DecomposeAddRmsNorm(GraphBuilder& b, const Node& node) {
  Value sum = Add(b, node.input(0), node.input(1));
  return {sum, RmsNorm(b, sum, node.input(2), RmsNormEps(node.attrs()))};
}

}  // namespace

constinit const OpDef kAddRmsNorm = {
    .name = "add_rms_norm",
    .summary = "x + y, and that sum normed",
    .family = "rms_norm",
    .inputs = kInputsOfAddRmsNorm,
    .attrs = kAttrsOfAddRmsNorm,
    .num_results = 2,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = InferAddRmsNorm,
    .cost = CostOfAddRmsNorm,
    .decompose = DecomposeAddRmsNorm,
};

std::pair<Value, Value> AddRmsNorm(GraphBuilder& b, Value x, Value y, Value weight, double eps) {
  Node* node = b.Emit(kAddRmsNorm, {x, y, weight}, {eps});
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

}  // namespace infer::ops
