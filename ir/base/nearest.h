// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace infer {

// Returns the candidate with the fewest edits to `word`, or an empty view if none is within a third
// of its length (at least two): beyond that a suggestion misleads. A candidate that begins with
// `word` is nearest of all, since the word is most likely an abbreviation of it.
std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates);

// Returns " (did you mean X?)" for the nearest candidate, or an empty string.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates);
std::string DidYouMean(std::string_view word, std::span<const std::string> candidates);

}  // namespace infer
