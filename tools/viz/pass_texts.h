// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/program/program.h"

namespace infer {

// The file of infer-compile --pass-log, checked. `where` names it in errors.
absl::StatusOr<nlohmann::ordered_json> ParsePassLog(const std::string& text,
                                                    const std::string& where);

// kInvalidArgument, naming both, if it is the log of another Program than that of the file `name`.
// A log without a key is known by its passes.
absl::Status CheckPassLogOf(const Program& program, const std::string& name,
                            const nlohmann::ordered_json& log, const std::string& where);

// Its passes and graphs as tables of lines. Of the layers only `layers` are kept: the others repeat
// them.
nlohmann::ordered_json PassTextsJson(const nlohmann::ordered_json& log,
                                     const std::set<int64_t>& layers);

}  // namespace infer
