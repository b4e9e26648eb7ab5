// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace infer {

// The candidate nearest to `word`, or "" if none is near enough to have been meant.
std::string_view NearestName(std::string_view word, std::span<const std::string> candidates);

// " (did you mean X?)" or "".
std::string DidYouMean(std::string_view word, std::span<const std::string> candidates);

}  // namespace infer
