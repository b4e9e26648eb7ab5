// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/flags.h"

namespace infer {

void RegisterFailOn(Flags& flags, std::vector<std::string>* fail_on);

// Usage errors for another number of programs than two, and for what --fail-on does not know.
// `what` is the flag or mode that wants them.
absl::Status CheckDiffArguments(std::string_view what, const std::vector<std::string>& programs,
                                const std::vector<std::string>& fail_on);

}  // namespace infer
