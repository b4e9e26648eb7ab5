// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "ir/graph/op_def.h"

namespace infer {

// All ops, in alphabetical order.
std::span<const OpDef* const> AllOps();

// Returns the op of that name, or nullptr.
const OpDef* FindOp(std::string_view name);

}  // namespace infer
