// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ir/program/program.h"

namespace infer {

// What a pass log says of the Program that its passes made, so that no tool shows it beside
// another: {model, header_hash, policy, overrides, key}.
nlohmann::ordered_json PassLogKey(const Program& program);

}  // namespace infer
