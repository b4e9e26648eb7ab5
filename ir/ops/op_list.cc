// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/op_list.h"

#include <algorithm>

#include "ir/ops/ops.h"

namespace infer {

std::span<const OpDef* const> AllOps() {
  static constexpr const OpDef* kOps[] = {
#define INFER_OP(record) &ops::record,
#include "ir/ops/op_list.def"
#undef INFER_OP
  };
  return kOps;
}

const OpDef* FindOp(std::string_view name) {
  std::span<const OpDef* const> all = AllOps();
  auto it = std::lower_bound(all.begin(), all.end(), name,
                             [](const OpDef* op, std::string_view key) { return op->name < key; });
  return it != all.end() && (*it)->name == name ? *it : nullptr;
}

}  // namespace infer
