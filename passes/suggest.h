// SPDX-License-Identifier: Apache-2.0
//
// Suggests what was meant by a name or pattern that matches nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace infer {

// Returns the part of a pattern that can occur in a name: its longest run of plain characters. In a
// regular expression an unrepeated dot counts as a dot, since names contain dots: "blk.99." for
// "blk\.99\..*" and for "blk.99..*".
std::string PlainPartOfRegex(std::string_view regex);
std::string PlainPartOfGlob(std::string_view glob);

// Returns the name that contains `part` with the fewest edits, or an empty view if it takes more
// than one edit per three characters. The first of equally good names.
std::string_view NearestHolding(std::string_view part, std::span<const std::string_view> names);

// Returns " (did you mean X?)" for the name that is nearest to the whole glob or regular
// expression, or else contains something like its plain part; empty if none is near. Names that are
// patterns themselves ("layer.*/attn/norm") are only compared as a whole.
std::string SuggestForGlob(std::string_view glob, std::span<const std::string_view> names);
std::string SuggestForRegex(std::string_view regex, std::span<const std::string_view> names);

}  // namespace infer
