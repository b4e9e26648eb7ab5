// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

// Appends the flags and commands that `status` advises (ir/base/advice.h) to its message: "...; use
// a larger context (-c)". A flag is named only if `has_flag` knows its long name, so that no tool
// names a flag it does not accept.
absl::Status WithFlagAdvice(const absl::Status& status,
                            const std::function<bool(std::string_view)>& has_flag);

}  // namespace infer
