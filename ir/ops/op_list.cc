// SPDX-License-Identifier: Apache-2.0
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

}  // namespace infer
