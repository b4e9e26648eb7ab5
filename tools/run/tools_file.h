// SPDX-License-Identifier: Apache-2.0
//
// The file of --tools: a JSON array of tools as OpenAI's API takes them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace infer {

// Returns the JSON text of each tool. An error names the file and the place in it.
absl::StatusOr<std::vector<std::string>> ReadToolsFile(const std::string& path);

// Returns "get_weather: Weather of a city", a line for each tool.
std::string ToolsText(const std::vector<std::string>& tools);

}  // namespace infer
