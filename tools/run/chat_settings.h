// SPDX-License-Identifier: Apache-2.0
//
// The parameters that /set changes during a chat, with the names of their flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "frontends/family/model_family.h"
#include "tools/run/run_options.h"

namespace infer {

std::vector<std::string> SettingNames();

// Returns kInvalidArgument, and changes nothing, if the name is unknown or the value not allowed.
absl::Status ChangeSetting(std::string_view name, std::string_view value, const ModelFamily& family,
                           RunOptions* options);

// Returns a line for each parameter: name, value, meaning. Ends without a newline.
std::string SettingsText(const RunOptions& options, const ModelFamily& family);

}  // namespace infer
