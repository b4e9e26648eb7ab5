// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ir/base/status_macros.h"
#include "ir/ops/rope_attrs.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfSelfAttention[] = {
    {"kv", TypeKind::kKv},      {"q"}, {"k"}, {"v"}, {"q_norm"}, {"k_norm"},
    {"batch", TypeKind::kBatch}};

// attention's, then attention_inputs'.
constexpr auto kAttrsOfSelfAttention = [] {
  std::array<AttrSpec, 1 + kNormRopeAttrs.size()> attrs = {{{"scale", AttrKind::kDouble}}};
  std::ranges::copy(kNormRopeAttrs, attrs.begin() + 1);
  return attrs;
}();

std::span<const Attr> InputAttrs(std::span<const Attr> attrs) { return attrs.subspan(1); }

absl::StatusOr<Types> InferSelfAttention(const OpArgs& args) {
  ASSIGN_OR_RETURN(Types inputs,
                   kAttentionInputs.infer({args.op, args.inputs, InputAttrs(args.attrs), {}}));
  const Types attention = {inputs[1], inputs[0], args.input(6)};
  ASSIGN_OR_RETURN(Types out, kAttention.infer({args.op, attention, args.attrs.first(1), {}}));
  return Types{inputs[0], out[0]};
}

Cost CostOfSelfAttention(const OpArgs& args) {
  const OpArgs of_inputs = {kAttentionInputs, args.inputs, InputAttrs(args.attrs), {}};
  Cost cost = kAttentionInputs.cost(of_inputs);
  const absl::StatusOr<Types> inputs = kAttentionInputs.infer(of_inputs);
  if (!inputs.ok()) return cost;
  const Types types = {(*inputs)[1], (*inputs)[0], args.input(6)};
  const Cost attention = kAttention.cost({kAttention, types, args.attrs.first(1), {}});
  return {.flops = cost.flops + attention.flops, .bytes = cost.bytes + attention.bytes};
}

std::vector<Value> DecomposeSelfAttention(GraphBuilder& b, const Node& node) {
  Node* inputs = b.Emit(kAttentionInputs, {node.inputs().begin(), node.inputs().end()},
                        {node.attrs().begin() + 1, node.attrs().end()});
  if (inputs == nullptr) return {};
  return {inputs->output(0), Attention(b, inputs->output(1), inputs->output(0), node.input(6),
                                       AttentionScale(node.attrs()))};
}

}  // namespace

constinit const OpDef kSelfAttention = {
    .name = "self_attention",
    .summary = "attention_inputs, then attention of its q over the cache",
    .family = "attention",
    .inputs = kInputsOfSelfAttention,
    .attrs = kAttrsOfSelfAttention,
    .num_results = 2,
    .traits = {.aliases_input = 0},
    .infer = InferSelfAttention,
    .cost = CostOfSelfAttention,
    .decompose = DecomposeSelfAttention,
};

}  // namespace infer::ops
