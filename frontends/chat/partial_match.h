// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace infer {

// Returns how many bytes at the end of `text` are a beginning of `tag`, but not all of it: what
// must be held back until more text arrives.
inline size_t PartialMatchBytes(std::string_view text, std::string_view tag) {
  for (size_t bytes = std::min(text.size(), tag.size() - 1); bytes > 0; --bytes) {
    if (tag.starts_with(text.substr(text.size() - bytes))) return bytes;
  }
  return 0;
}

}  // namespace infer
