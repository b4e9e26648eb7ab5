// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/program/program.h"

namespace infer {

// Parses and checks the file of infer-compile --pass-log. `where` names it in errors.
absl::StatusOr<nlohmann::ordered_json> ParsePassLog(const std::string& text,
                                                    const std::string& where);

// Returns kInvalidArgument, naming both, if the log belongs to another Program than that of the
// file `name`. A log without a key is recognized by its passes.
absl::Status CheckPassLogOf(const Program& program, const std::string& name,
                            const nlohmann::ordered_json& log, const std::string& where);

// Returns passes and graphs as tables of lines. Only the given `layers` are kept: the others repeat
// them.
nlohmann::ordered_json PassTextsJson(const nlohmann::ordered_json& log,
                                     const std::set<int64_t>& layers);

}  // namespace infer
