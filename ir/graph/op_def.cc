// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/op_def.h"

#include <algorithm>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

std::string_view KindName(TypeKind kind) {
  constexpr std::string_view kNames[] = {"a tensor", "a batch", "a kv cache"};
  return kNames[static_cast<int>(kind)];
}

absl::Status CheckInputs(const OpArgs& args) {
  std::span<const InputSpec> specs = args.op.inputs;
  bool variadic = !specs.empty() && specs.back().variadic;
  if (args.inputs.size() < specs.size() || (!variadic && args.inputs.size() > specs.size())) {
    return args.Error(StrCat("has ", args.inputs.size(), " inputs, expected ",
                             variadic ? "at least " : "", specs.size()));
  }
  for (size_t i = 0; i < args.inputs.size(); ++i) {
    const InputSpec& spec = specs[std::min(i, specs.size() - 1)];
    if (args.inputs[i].kind != spec.kind) {
      return args.Error(StrCat("input ", i, " (", spec.name, ") is ", ToString(args.inputs[i]),
                               ", expected ", KindName(spec.kind)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAttrs(const OpArgs& args) {
  if (args.attrs.size() != args.op.attrs.size()) {
    return args.Error(
        StrCat("has ", args.attrs.size(), " attributes, expected ", args.op.attrs.size()));
  }
  for (size_t i = 0; i < args.attrs.size(); ++i) {
    const AttrSpec& spec = args.op.attrs[i];
    if (KindOf(args.attrs[i]) != spec.kind) {
      return args.Error(StrCat("attribute ", spec.name, " is of kind ", Name(KindOf(args.attrs[i])),
                               ", expected ", Name(spec.kind)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status OpArgs::Error(std::string_view what) const {
  return absl::InvalidArgumentError(StrCat(op.name, ": ", what));
}

absl::StatusOr<Types> CheckAndInfer(const OpArgs& args) {
  RETURN_IF_ERROR(CheckInputs(args));
  RETURN_IF_ERROR(CheckAttrs(args));
  return args.op.infer(args);
}

absl::StatusOr<Types> SameAsInput0(const OpArgs& args) {
  if (!args.input(0).is_tensor(DType::kF32)) return args.Error("input 0 must be f32");
  return Types{args.input(0)};
}

absl::StatusOr<Types> InferBroadcast(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const ValueType& y = args.input(1);
  if (!x.is_tensor(DType::kF32) || !y.is_tensor(DType::kF32)) {
    return args.Error("both inputs must be f32");
  }
  bool vector = y.rank() == 1 && x.rank() > 1 && y.dim(0) == x.dim(-1);
  if (x != y && !vector) {
    return args.Error(
        StrCat("cannot combine ", ToString(x), " and ", ToString(y),
               ": the second must equal the first or be a vector along its last axis"));
  }
  return Types{x};
}

SymbolicCount IoBytes(const OpArgs& args) {
  SymbolicCount bytes;
  for (const ValueType& type : args.inputs) bytes += CountBytes(type);
  absl::StatusOr<Types> results = args.op.infer(args);
  if (results.ok()) {
    for (const ValueType& type : *results) bytes += CountBytes(type);
  }
  return bytes;
}

std::vector<ShardStrategy> ShardElementwise(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const int last = x.rank() - 1;
  if (last < 1 || x.dim(last).is_symbol()) return {};
  ShardStrategy strategy{.inputs = {Sharding::Split(last)},
                         .results = {Sharding::Split(last)},
                         .units = x.dim(last).value(),
                         .unit_name = "columns",
                         .reason = "each element by itself"};
  for (const ValueType& other : args.inputs.subspan(1)) {
    strategy.inputs.push_back(Sharding::Split(other.rank() - 1));
  }
  return {strategy};
}

std::vector<ShardStrategy> ShardHeads(const OpArgs& args) {
  if (args.input(0).rank() != 3 || args.input(0).dim(1).is_symbol()) return {};
  ShardStrategy strategy{.inputs = std::vector<Sharding>(args.inputs.size()),
                         .results = {Sharding::Split(1)},
                         .units = args.input(0).dim(1).value(),
                         .unit_name = "heads",
                         .reason = "each head by itself"};
  strategy.inputs[0] = Sharding::Split(1);
  return {strategy};
}

Cost ElementwiseCost(const OpArgs& args, double flops_per_element) {
  SymbolicCount elements = CountElements(args.input(0).tensor.shape).value_or(SymbolicCount{});
  return {.flops = flops_per_element * elements, .bytes = IoBytes(args)};
}

}  // namespace infer
