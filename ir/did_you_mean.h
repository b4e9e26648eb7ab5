// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace infer {

// "; did you mean 'linear'?" with the known name that needs the fewest edits to get from `name`, or
// nothing if none is near.
std::string DidYouMean(std::string_view name, std::span<const std::string_view> known);

}  // namespace infer
