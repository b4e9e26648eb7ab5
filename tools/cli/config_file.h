// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace infer {

// A flat JSON object: flag names without dashes as keys; a string, number or boolean, or an array
// of them for a flag that may be repeated.
using ConfigValues = std::map<std::string, std::vector<std::string>>;

// kNotFound or kInvalidArgument, naming the file, if it cannot be read or is no such object.
absl::StatusOr<ConfigValues> ReadConfigFile(const std::string& path);

}  // namespace infer
