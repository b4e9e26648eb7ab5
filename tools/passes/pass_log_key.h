// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/base/json.h"
#include "ir/program/program.h"

namespace infer {

// Returns the identity of the Program that the logged passes made, so that no tool shows the log
// beside another Program: {model, header_hash, policy, overrides, key}.
Json PassLogKey(const Program& program);

}  // namespace infer
