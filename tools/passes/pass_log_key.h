// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ir/program/program.h"

namespace infer {

// Returns the identity of the Program that the logged passes made, so that no tool shows the log
// beside another Program: {model, header_hash, policy, overrides, key}.
nlohmann::ordered_json PassLogKey(const Program& program);

}  // namespace infer
