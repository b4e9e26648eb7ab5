// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/graph.h"

namespace infer::ops {
namespace {

absl::StatusOr<Types> Infer(const OpArgs& args) {
  if (args.declared.size() != 1) return args.Error("must declare one type");
  if (args.declared[0].kind == TypeKind::kKv)
    return args.Error("a cache must be a kv_state, not an input");
  return Types{args.declared[0]};
}

}  // namespace

constinit const OpDef kInput = {
    .name = "input",
    .summary = "an input of the graph; text graphs list it in the graph's header",
    .traits = {.declares_types = true},
    .infer = Infer,
};

}  // namespace infer::ops
