// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace infer {

// Contents of a flat JSON object: flag names without dashes as keys; a string, number or boolean as
// value, or an array of them for a flag that may be repeated.
using ConfigValues = std::map<std::string, std::vector<std::string>>;

// Returns kNotFound or kInvalidArgument, naming the file, if it cannot be read or is not such an
// object.
absl::StatusOr<ConfigValues> ReadConfigFile(const std::string& path);
// The same for the file's text; `path` names it in errors.
absl::StatusOr<ConfigValues> ParseConfig(std::string_view text, std::string_view path);

}  // namespace infer
