// SPDX-License-Identifier: Apache-2.0
//
// What somebody may have meant by a name or pattern that matches nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace infer {

// What a pattern has of a name: its longest run of plain characters. In a regular expression a dot
// counts as one, since that is what it stands for in names, unless it is repeated: "blk.99." of
// "blk\.99\..*" and of "blk.99..*".
std::string PlainPartOfRegex(std::string_view regex);
std::string PlainPartOfGlob(std::string_view glob);

// The name that holds `part` with the fewest edits, or an empty view if it takes more than one for
// each three characters. The first of equals.
std::string_view NearestHolding(std::string_view part, std::span<const std::string_view> names);

// " (did you mean X?)" for the name that is nearest to the glob or regular expression as a whole,
// or else that holds something like its plain part; nothing if none is near. Names that are
// patterns themselves ("layer.*/attn/norm") are suggested as a whole only.
std::string SuggestForGlob(std::string_view glob, std::span<const std::string_view> names);
std::string SuggestForRegex(std::string_view regex, std::span<const std::string_view> names);

}  // namespace infer
