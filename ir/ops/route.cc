// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfRoute[] = {{"logits"}};
constexpr AttrSpec kAttrsOfRoute[] = {{"k", AttrKind::kInt}, {"normed", AttrKind::kBool}};

absl::StatusOr<Types> InferRoute(const OpArgs& args) { return kTopK.infer(args); }

Cost CostOfRoute(const OpArgs& args) {
  return ElementwiseCost(args, 5 + static_cast<double>(args.attr<int64_t>(0)));
}

std::vector<Value> DecomposeRoute(GraphBuilder& b, const Node& node) {
  auto [ids, weights] = TopK(b, Softmax(b, node.input(0)), TopKOf(node.attrs()));
  return {ids, weights};
}

}  // namespace

constinit const OpDef kRoute = {
    .name = "route",
    .summary = "the k experts with the largest probabilities for each row, and their weights",
    .inputs = kInputsOfRoute,
    .attrs = kAttrsOfRoute,
    .num_results = 2,
    .traits = {.rowwise = true},
    .infer = InferRoute,
    .cost = CostOfRoute,
    .decompose = DecomposeRoute,
};

std::pair<Value, Value> Route(GraphBuilder& b, Value logits, const TopKParams& params) {
  Node* node = b.Emit(kRoute, {logits}, {params.k, params.normed});
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

}  // namespace infer::ops
