// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer {

// Returns Unicode's normalization form C of `text`, which must be valid UTF-8. Returns `text`
// itself if it is already in that form (ASCII and most real text), else fills `storage` and returns
// it. Takes O(n log n) for any text, including long runs of combining marks.
std::string_view NormalizeNfc(std::string_view text, std::string* storage);

}  // namespace infer
