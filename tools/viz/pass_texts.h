// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/base/json.h"
#include "ir/program/program.h"

namespace infer {

// Parses and checks the file of infer-compile --pass-log. `where` names it in errors.
absl::StatusOr<Json> ParsePassLog(const std::string& text, const std::string& where);

// Returns kInvalidArgument, naming both, if the log belongs to another Program than that of the
// file `name`. A log without a key is recognized by its passes.
absl::Status CheckPassLogOf(const Program& program, const std::string& name, const Json& log,
                            const std::string& where);

// Returns passes and graphs as tables of lines. Only the given `layers` are kept: the others repeat
// them.
Json PassTextsJson(const Json& log, const std::set<int64_t>& layers);

}  // namespace infer
