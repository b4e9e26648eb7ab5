// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/flags.h"

namespace infer {

void RegisterFailOn(Flags& flags, std::vector<std::string>* fail_on);

// Returns usage errors unless there are exactly two programs and --fail-on knows every word. `what`
// is the flag or mode that takes them.
absl::Status CheckDiffArguments(std::string_view what, const std::vector<std::string>& programs,
                                const std::vector<std::string>& fail_on);

}  // namespace infer
