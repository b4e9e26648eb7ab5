// SPDX-License-Identifier: Apache-2.0
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

}  // namespace infer
