// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

// `status` with the flags and commands of what it advises (ir/base/advice.h) behind its message:
// "...; use a larger context (-c)". A flag is named only if `has_flag` knows its long name, so that
// no tool names one it does not take.
absl::Status WithFlagAdvice(const absl::Status& status,
                            const std::function<bool(std::string_view)>& has_flag);

}  // namespace infer
