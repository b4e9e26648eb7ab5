// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "absl/status/statusor.h"

namespace infer {

// The file of infer-compile --pass-log, checked. `where` names it in errors.
absl::StatusOr<nlohmann::ordered_json> ParsePassLog(const std::string& text,
                                                    const std::string& where);

// Its passes and graphs as tables of lines. Of the layers only `layers` are kept: the others repeat
// them.
nlohmann::ordered_json PassTextsJson(const nlohmann::ordered_json& log,
                                     const std::set<int64_t>& layers);

}  // namespace infer
